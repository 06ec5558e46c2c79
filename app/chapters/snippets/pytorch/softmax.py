n = {{n}}
s = 4 * numbers(1, n, 1)[0]  # {{n}}
e = torch.exp(s - s.max())
a = e / e.sum()
assert torch.allclose(a, torch.softmax(s, dim=0))
show(a)
