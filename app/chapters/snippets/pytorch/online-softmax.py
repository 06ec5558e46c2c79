n, d_k, B = {{n}}, {{d_k}}, 2
s, V = numbers(1, n, 1)[0], numbers(n, d_k, 2)  # {{n}}, {{n}} × {{d_k}}
m, l, o = torch.tensor(-torch.inf), torch.tensor(0.0), torch.zeros(d_k)
for i in range(0, n, B):
    new = torch.maximum(m, s[i : i + B].max())
    factor, p = torch.exp(m - new), torch.exp(s[i : i + B] - new)
    m, l, o = new, factor * l + p.sum(), factor * o + p @ V[i : i + B]
assert torch.allclose(o / l, torch.softmax(s, dim=-1) @ V, atol=1e-5)
show((o / l)[-6:])
