n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
order = np.roll(np.arange(n), 1)  # {{n}}
f = softmax(X @ X.T / np.sqrt(d)) @ X  # {{n}} × {{d}}
Y = X[order]
f_of_permuted = softmax(Y @ Y.T / np.sqrt(d)) @ Y
assert np.allclose(f_of_permuted, f[order])
show(f_of_permuted[-1])
