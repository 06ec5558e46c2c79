n, d_k, i = {{n}}, {{d_k}}, {{n}} - 1
q, K, V = numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3)
b = numbers(1, 8, 4)[0]  # 8
bucket = (torch.arange(n) - i).abs().clamp(max=7)  # {{n}}
B = b[bucket]  # {{n}}
z = torch.softmax(q @ K.T + B, dim=-1) @ V  # 1 × {{d_k}}
show(z)
