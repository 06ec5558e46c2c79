n, d, h, d_k = {{n}}, {{d}}, {{h}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_O = numbers(h * d_k, d, 2) / d  # ({{h}} · {{d_k}}) × {{d}}
Z = []
for i in range(h):
    W_Q, W_K, W_V = (numbers(d, d_k, 3 * i + start) / d_k for start in (3, 4, 5))
    A = softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(d_k))  # {{n}} × {{n}}
    Z.append(A @ (X @ W_V))  # {{n}} × {{d_k}}
show((np.concatenate(Z, axis=1) @ W_O)[-1])  # {{n}} × {{d}}
