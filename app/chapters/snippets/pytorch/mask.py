n, d_k = {{n}}, {{d_k}}
Q, K, V = (numbers(n, d_k, start) for start in (1, 2, 3))  # {{n}} × {{d_k}}
M = torch.full((n, n), -torch.inf).triu(1)  # {{n}} × {{n}}
A = torch.softmax(Q @ K.T / d_k**0.5 + M, dim=-1)
show((A @ V)[n // 2])
