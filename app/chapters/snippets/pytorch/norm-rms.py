n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
mean_square = (X**2).sum(1, keepdim=True) / d  # {{n}} × 1
show((X / torch.sqrt(mean_square + 1e-5))[-1])
