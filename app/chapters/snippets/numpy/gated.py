n, d, d_ff = {{n}}, {{d}}, 4 * {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_g, W_u = numbers(d, d_ff, 2), numbers(d, d_ff, 3)  # {{d}} × 4·{{d}}
W_d = numbers(d_ff, d, 4) / d_ff  # 4·{{d}} × {{d}}
g = X @ W_g  # {{n}} × 4·{{d}}
gelu = g / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3)))
show((gelu * (X @ W_u) @ W_d)[-1])
