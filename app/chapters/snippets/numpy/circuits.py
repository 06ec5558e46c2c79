def turned(x, distance):
    angle = distance * 10000.0 ** -(np.arange(pairs) / pairs)
    a, b, c, s = x[:, :pairs], x[:, pairs:], np.cos(angle), np.sin(angle)
    return np.concatenate([a * c - b * s, b * c + a * s], 1)


n, d, pairs, distance = {{n}}, {{d}}, {{d_k}} // 2, 3
d_k = 2 * pairs
E = numbers(n, d, 1)  # {{n}} tokens × {{d}}
X = E / np.sqrt((E**2).mean(1, keepdims=True))
W_Q, W_K, W_V, W_V1 = (numbers(d, d_k, i) for i in range(2, 6))  # {{d}} × {{d_k}}
W_O, W_O1 = (numbers(d_k, d, i) for i in range(6, 8))  # {{d_k}} × {{d}}
W_U = numbers(d, n, 8)  # {{d}} × {{n}} tokens
QK = turned(X @ W_Q, distance) @ (X @ W_V1 @ W_O1 @ W_K).T / d_k**0.5  # {{n}} × {{n}}
OV = X @ W_V @ W_O @ W_U  # {{n}} × {{n}}
show([QK[0, 0], QK[-1, 0], QK[-1, -1], OV[0, 0], OV[-1, 0], OV[-1, -1]])
