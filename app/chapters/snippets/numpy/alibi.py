n, d_k, i, slope = {{n}}, {{d_k}}, {{n}} - 1, 0.5
q, K, V = numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3)
B = -slope * np.abs(i - np.arange(n))  # {{n}}
a = softmax(q @ K.T / np.sqrt(d_k) + B)  # 1 × {{n}}
show(a @ V)
