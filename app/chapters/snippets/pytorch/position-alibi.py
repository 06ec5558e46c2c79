n, d, d_k, slope = {{n}}, {{d}}, {{d_k}}, 0.5
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
distance = torch.arange(n)[:, None] - torch.arange(n)[None]  # {{n}} × {{n}}
S = (X @ W_Q) @ (X @ W_K).T / d_k**0.5 - slope * distance
show(S[-1])
