n = {{n}}
s = 4 * numbers(1, n, 1)[0]  # {{n}}
e = np.exp(s - s.max())
a = e / e.sum()
show(a)
