n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
c = torch.arange(d)
angle = torch.arange(n)[:, None] / 10000 ** (c // 2 * 2 / d)  # {{n}} × {{d}}
PE = torch.where(c % 2 == 0, torch.sin(angle), torch.cos(angle))
S = ((X + PE) @ W_Q) @ ((X + PE) @ W_K).T / d_k**0.5  # {{n}} × {{n}}
show(S[-1])
