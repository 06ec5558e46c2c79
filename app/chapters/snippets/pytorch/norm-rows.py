n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
mu = X.sum(1, keepdim=True) / d  # {{n}} × 1
variance = ((X - mu) ** 2).sum(1, keepdim=True) / d
show(((X - mu) / torch.sqrt(variance + 1e-5))[-1])
