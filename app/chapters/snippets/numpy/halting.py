d, p = {{d}}, np.array([0.2, 0.3, 0.4, 0.3])  # 4
S = numbers(4, d, 1)  # 4 × {{d}}
N = np.argmax(np.cumsum(p) >= 0.99) + 1
R = 1 - p[: N - 1].sum()
s = p[: N - 1] @ S[: N - 1] + R * S[N - 1]  # {{d}}
show([N, R, *s[:4]])
