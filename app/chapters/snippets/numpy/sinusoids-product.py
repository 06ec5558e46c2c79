d, p, k = {{d}}, {{n}}, 3
frequency = 1 / 10000 ** (np.arange(0, d, 2) / d)  # {{d}}/2
first, second = p * frequency, (p + k) * frequency
product = np.sin(first) @ np.sin(second) + np.cos(first) @ np.cos(second)
show([product, np.cos(k * frequency).sum()])
