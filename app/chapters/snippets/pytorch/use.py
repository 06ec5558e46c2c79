n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
A = torch.softmax(X @ X.T / d**0.5, dim=-1)  # {{n}} × {{n}}
X = A @ X  # {{n}} × {{d}}
show(X[-1])
