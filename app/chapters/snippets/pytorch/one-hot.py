n, d, i = {{n}}, {{d}}, {{n}} - 1
x = numbers(d, 1, 1)  # {{d}} × 1
p = torch.eye(n)[:, [i]]  # {{n}} × 1
W_I, W_P = numbers(d, d, 2) / d, numbers(d, n, 3)  # {{d}} × {{d}}, {{d}} × {{n}}
joined = torch.cat([W_I, W_P], dim=1) @ torch.cat([x, p])
assert torch.allclose(joined, W_I @ x + W_P[:, [i]], atol=1e-5)
show(joined)
