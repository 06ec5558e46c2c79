n, d = {{n}}, {{d}}
H = numbers(n, d, 1)  # {{n}} × {{d}}
s = numbers(1, d, 2)[0]  # {{d}}
e = H @ s  # {{n}}
alpha = np.exp(e) / np.exp(e).sum()
c = alpha @ H  # {{d}}
show(c)
