n, d_k = {{n}}, {{d_k}}
Q, K = numbers(n, d_k, 1), numbers(n, d_k, 2)  # {{n}} × {{d_k}}
S = torch.stack([torch.stack([q @ k for k in K]) for q in Q])  # {{n}} × {{n}}
assert torch.allclose(S, Q @ K.T, atol=1e-5)
show(S[-1])
