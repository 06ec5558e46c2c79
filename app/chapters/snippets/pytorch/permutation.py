n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
order = torch.arange(n).roll(1)  # {{n}}
f = torch.softmax(X @ X.T / d**0.5, dim=-1) @ X  # {{n}} × {{d}}
Y = X[order]
f_of_permuted = torch.softmax(Y @ Y.T / d**0.5, dim=-1) @ Y
assert torch.allclose(f_of_permuted, f[order], atol=1e-5)
show(f_of_permuted[-1])
