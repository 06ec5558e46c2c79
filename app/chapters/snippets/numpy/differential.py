n, d_k, lam = {{n}}, {{d_k}}, 0.8
weights = []
for seed in (1, 3):
    q, K = numbers(1, d_k, seed)[0], numbers(n, d_k, seed + 1)  # {{d_k}}, {{n}} × {{d_k}}
    weights.append(softmax(q @ K.T / d_k**0.5))
show((weights[0] - lam * weights[1])[-6:])
