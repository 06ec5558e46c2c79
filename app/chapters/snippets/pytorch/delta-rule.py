n, d_k, beta = {{n}}, {{d_k}}, 0.5
K, V = numbers(n, d_k, 1), numbers(n, d_k, 2)  # {{n}} × {{d_k}}
S = torch.zeros(d_k, d_k)
for k, v in zip(K, V):
    k = k / (k @ k) ** 0.5
    S = S + beta * torch.outer(k, v - k @ S)
show((k @ S)[-6:])
