def delta(a):
    return torch.tanh(a @ W) @ u


n, d = {{n}}, {{d}}
clean, other = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
W, u = numbers(d, d, 3) / d, numbers(1, d, 4)[0]  # {{d}} × {{d}}, {{d}}
other.requires_grad_()
delta(other).sum().backward()
estimate = ((clean - other) * other.grad).sum(1)  # {{n}}, from one gradient for all positions
patched = delta(clean) - delta(other)  # {{n}}, a run for each position
show(torch.stack([estimate[0], estimate[-1], patched[0], patched[-1]]))
