def norm(x):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def f(x):
    return x @ W  # {{n}} × {{d}}


n, d = {{n}}, {{d}}
X, W = numbers(n, d, 1), numbers(d, d, 2) / d  # {{n}} × {{d}}, {{d}} × {{d}}
post = norm(X + f(X))
pre = X + f(norm(X))
show([*post[-1, :3], *pre[-1, :3]])
