n, d_k = {{n}}, {{d_k}}
q = numbers(1, d_k, 1)[0]  # {{d_k}}
K = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
s = K @ q  # {{n}}
by_sum = sum(q[c] * K[:, c] for c in range(d_k))
assert np.allclose(s, by_sum, atol=1e-5)
show(s)
