n, d_k, i, slope = {{n}}, {{d_k}}, {{n}} - 1, 0.5
q, K, V = numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3)
B = -slope * (i - torch.arange(n)).abs()  # {{n}}
a = torch.softmax(q @ K.T / d_k**0.5 + B, dim=-1)  # 1 × {{n}}
show(a @ V)
