n, d_k = {{n}}, {{d_k}}
a = torch.softmax(numbers(1, n, 1)[0], dim=0)  # {{n}}
V = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
weighted = a[:, None] * V  # {{n}} × {{d_k}}
show(weighted[-1])
