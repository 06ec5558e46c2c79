n, d_k, w, s = {{n}}, {{d_k}}, 3, 1
Q, K, V = (numbers(n, d_k, start) for start in (1, 2, 3))  # {{n}} × {{d_k}}
i, j = np.indices((n, n))
seen = (j <= i) & ((i - j < w) | (j < s))
A = softmax(np.where(seen, Q @ K.T / np.sqrt(d_k), -np.inf))  # {{n}} × {{n}}
show((A @ V)[n - 1])
