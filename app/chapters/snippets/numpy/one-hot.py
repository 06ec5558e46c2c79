n, d, i = {{n}}, {{d}}, {{n}} - 1
x = numbers(d, 1, 1)  # {{d}} × 1
p = np.eye(n)[:, [i]]  # {{n}} × 1
W_I, W_P = numbers(d, d, 2) / d, numbers(d, n, 3)  # {{d}} × {{d}}, {{d}} × {{n}}
joined = np.concatenate([W_I, W_P], axis=1) @ np.concatenate([x, p])
assert np.allclose(joined, W_I @ x + W_P[:, [i]])
show(joined)
