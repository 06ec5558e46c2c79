def delta(a):
    return np.tanh(a @ W) @ u


n, d = {{n}}, {{d}}
clean, other = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
W, u = numbers(d, d, 3) / d, numbers(1, d, 4)[0]  # {{d}} × {{d}}, {{d}}
slope = (u * (1 - np.tanh(other @ W) ** 2)) @ W.T  # {{n}} × {{d}}, by the chain rule
estimate = ((clean - other) * slope).sum(1)  # {{n}}, from one gradient for all positions
patched = delta(clean) - delta(other)  # {{n}}, a run for each position
show([estimate[0], estimate[-1], patched[0], patched[-1]])
