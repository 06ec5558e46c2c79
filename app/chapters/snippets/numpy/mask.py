n, d_k = {{n}}, {{d_k}}
Q, K, V = (numbers(n, d_k, start) for start in (1, 2, 3))  # {{n}} × {{d_k}}
M = np.where(np.tri(n, dtype=bool), 0.0, -np.inf)  # {{n}} × {{n}}
A = softmax(Q @ K.T / np.sqrt(d_k) + M)
show((A @ V)[n // 2])
