def turned(x, position):
    angle = position * 10000.0 ** -(np.arange(pairs) / pairs)
    a, b, c, s = x[:pairs], x[pairs:], np.cos(angle), np.sin(angle)
    return np.concatenate([a * c - b * s, b * c + a * s])


pairs, m, n = {{d_k}} // 2, {{n}}, {{n}} + 3
q, k = numbers(2, 2 * pairs, 1)  # {{d_k}}
absolute = turned(q, m) @ turned(k, n) / np.sqrt(2 * pairs)
relative = q @ turned(k, n - m) / np.sqrt(2 * pairs)
show([absolute, relative])
