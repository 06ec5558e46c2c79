n, d_k = {{n}}, {{d_k}}
Q, K, V = (numbers(n, d_k, start) for start in (1, 2, 3))  # {{n}} × {{d_k}}
S = Q @ K.T  # {{n}} × {{n}}
A = softmax(S / np.sqrt(d_k))
Z = A @ V  # {{n}} × {{d_k}}
show(Z[-1])
