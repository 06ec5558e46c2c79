n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
b = numbers(1, 16, 4)[0]  # 16
m, k = torch.arange(n)[:, None], torch.arange(n)[None]
bucket = (k - m).clamp(-8, 7) + 8  # {{n}} × {{n}}
S = (X @ W_Q) @ (X @ W_K).T / d_k**0.5 + b[bucket]  # {{n}} × {{n}}
show(S[-1])
