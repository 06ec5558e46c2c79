def norm(x):
    return torch.nn.functional.layer_norm(x, (d,), eps=1e-5)


def f(x):
    return x @ W  # {{n}} × {{d}}


n, d = {{n}}, {{d}}
X, W = numbers(n, d, 1), numbers(d, d, 2) / d  # {{n}} × {{d}}, {{d}} × {{d}}
post = norm(X + f(X))
pre = X + f(norm(X))
show(torch.cat([post[-1, :3], pre[-1, :3]]))
