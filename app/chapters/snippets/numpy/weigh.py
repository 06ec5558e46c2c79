n, d_k = {{n}}, {{d_k}}
a = softmax(numbers(1, n, 1)[0])  # {{n}}
V = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
weighted = a[:, None] * V  # {{n}} × {{d_k}}
show(weighted[-1])
