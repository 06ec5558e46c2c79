d, layers = {{d}}, 8
G = numbers(1, d, 1)  # 1 × {{d}}
J = [2 * numbers(d, d, k + 2) / d**0.5 for k in range(layers)]  # {{d}} × {{d}} each
with_residual = without = G
for l in reversed(range(layers)):
    with_residual = with_residual + with_residual @ J[l]
    without = without @ J[l]
show([np.linalg.norm(with_residual), np.linalg.norm(without)])
