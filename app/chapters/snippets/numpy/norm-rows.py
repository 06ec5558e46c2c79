n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
mu = X.sum(1, keepdims=True) / d  # {{n}} × 1
variance = ((X - mu) ** 2).sum(1, keepdims=True) / d
show(((X - mu) / np.sqrt(variance + 1e-5))[-1])
