n, d, T = {{n}}, {{d}}, 4
H, W = numbers(n, d, 1), numbers(d, d, 2) / d  # {{n}} × {{d}}, {{d}} × {{d}}
for t in range(1, T + 1):
    X = H + numbers(n, d, t + 2)  # {{n}} × {{d}}
    A = torch.softmax(X @ X.T / d**0.5, dim=-1)  # {{n}} × {{n}}
    H = torch.tanh(A @ X @ W + X)
show(H[-1])
