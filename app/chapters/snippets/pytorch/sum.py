n, d_k = {{n}}, {{d_k}}
a = torch.softmax(numbers(1, n, 1)[0], dim=0)  # {{n}}
V = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
z = sum(a[j] * V[j] for j in range(n))  # {{d_k}}
assert torch.allclose(z, a @ V, atol=1e-5)
show(z)
