n, d_k = {{n}}, {{d_k}}
q = numbers(1, d_k, 1)[0]  # {{d_k}}
K = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
s = K @ q / d_k**0.5  # {{n}}
a = torch.exp(s) / torch.exp(s).sum()
show(a)
