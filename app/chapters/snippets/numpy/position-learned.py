n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
E = numbers(n, d, 4)  # {{n}} × {{d}}
W_Q, W_K = numbers(d, d_k, 2) / d, numbers(d, d_k, 3)  # {{d}} × {{d_k}}
S = ((X + E) @ W_Q) @ ((X + E) @ W_K).T / np.sqrt(d_k)  # {{n}} × {{n}}
show(S[-1])
