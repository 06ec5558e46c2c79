n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
mu = X.sum(0) / n  # {{d}}
variance = ((X - mu) ** 2).sum(0) / n
show(((X - mu) / torch.sqrt(variance + 1e-5))[-1])
