n, d_k, M = {{n}}, {{d_k}}, {{h}}
Q = numbers(M, d_k, 1)  # {{h}} × {{d_k}}
K, V = numbers(n, d_k, 2), numbers(n, d_k, 3)  # {{n}} × {{d_k}}
read = [softmax(q @ K.T / np.sqrt(d_k)) @ V for q in Q]  # {{h}} × {{d_k}}
joined = np.concatenate(read)  # {{h}} · {{d_k}}
show(joined[-6:])
