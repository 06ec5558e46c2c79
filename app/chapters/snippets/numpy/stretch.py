d, b, s = {{d_k}}, 10000.0, 4.0
i = np.arange(d // 2)
theta = b ** (-2 * i / d)  # d / 2
linear = theta / s
ntk = (b * s ** (d / (d - 2))) ** (-2 * i / d)
show([linear[0], linear[-1], ntk[0], ntk[-1]])
