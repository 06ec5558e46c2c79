n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(d_k)  # {{n}} × {{n}}
show(S[-1])
