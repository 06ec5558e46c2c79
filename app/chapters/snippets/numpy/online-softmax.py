n, d_k, B = {{n}}, {{d_k}}, 2
s, V = numbers(1, n, 1)[0], numbers(n, d_k, 2)  # {{n}}, {{n}} × {{d_k}}
m, l, o = -np.inf, 0.0, np.zeros(d_k)
for i in range(0, n, B):
    new = max(m, s[i : i + B].max())
    factor, p = np.exp(m - new), np.exp(s[i : i + B] - new)
    m, l, o = new, factor * l + p.sum(), factor * o + p @ V[i : i + B]
assert np.allclose(o / l, softmax(s) @ V, atol=1e-5)
show((o / l)[-6:])
