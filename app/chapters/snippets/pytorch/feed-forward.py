n, d, d_ff = {{n}}, {{d}}, 4 * {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_1, b_1 = numbers(d, d_ff, 2) / d, numbers(1, d_ff, 3)  # {{d}} × 4·{{d}}
W_2, b_2 = numbers(d_ff, d, 4) / d, numbers(1, d, 5)  # 4·{{d}} × {{d}}
inner = torch.relu(X @ W_1 + b_1)  # {{n}} × 4·{{d}}
show((inner @ W_2 + b_2)[-1])
