n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
b = numbers(1, 16, 4)[0]  # 16
m, k = np.arange(n)[:, None], np.arange(n)[None]
bucket = np.clip(k - m, -8, 7) + 8  # {{n}} × {{n}}
S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(d_k) + b[bucket]  # {{n}} × {{n}}
show(S[-1])
