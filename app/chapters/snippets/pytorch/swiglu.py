n, d, d_ff = {{n}}, {{d}}, 4 * {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_g, W_u = numbers(d, d_ff, 2), numbers(d, d_ff, 3)  # {{d}} × 4·{{d}}
W_d = numbers(d_ff, d, 4) / d_ff  # 4·{{d}} × {{d}}
inner = torch.nn.functional.silu(X @ W_g) * (X @ W_u)  # {{n}} × 4·{{d}}
show((inner @ W_d)[-1])
