n, d = {{n}}, {{d}}
p = np.arange(n)[:, None]  # {{n}} × 1
angle = p / 10000 ** (np.arange(0, d, 2) / d)  # {{n}} × {{d}}/2
PE = np.zeros((n, d))  # {{n}} × {{d}}
PE[:, 0::2] = np.sin(angle)
PE[:, 1::2] = np.cos(angle)
show(PE[-1])
