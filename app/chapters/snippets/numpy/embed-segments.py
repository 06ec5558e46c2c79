n, d = {{n}}, {{d}}
E, P = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
segments = numbers(2, d, 3)  # 2 × {{d}}
S = segments[np.arange(n) * 2 // n]  # {{n}} × {{d}}
X = E + S + P
mean, variance = X.mean(1, keepdims=True), X.var(1, keepdims=True)
show(((X - mean) / np.sqrt(variance + 1e-5))[-1])
