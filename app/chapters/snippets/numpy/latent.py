n, d, d_k, r = {{n}}, {{d}}, {{d_k}}, 2
X, q = numbers(n, d, 1), numbers(1, d_k, 2)[0]  # {{n}} × {{d}}, {{d_k}}
W_down, W_key = numbers(d, r, 3), numbers(r, d_k, 4)  # {{d}} × 2, 2 × {{d_k}}
C = X @ W_down  # {{n}} × 2, which is kept
with_keys = (C @ W_key) @ q  # {{n}}
absorbed = C @ (W_key @ q)  # {{n}}
assert np.allclose(with_keys, absorbed, atol=1e-4)
show(absorbed[-6:])
