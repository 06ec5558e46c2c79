def turned(x, position):
    angle = position * 10000.0 ** -(torch.arange(pairs) / pairs)
    a, b, c, s = x[:pairs], x[pairs:], torch.cos(angle), torch.sin(angle)
    return torch.cat([a * c - b * s, b * c + a * s])


pairs, m, n = {{d_k}} // 2, {{n}}, {{n}} + 3
q, k = numbers(2, 2 * pairs, 1)  # {{d_k}}
absolute = turned(q, m) @ turned(k, n) / (2 * pairs) ** 0.5
relative = q @ turned(k, n - m) / (2 * pairs) ** 0.5
show(torch.stack([absolute, relative]))
