n, r = {{n}}, {{h}}
A = softmax(4 * numbers(r, n, 1))  # {{h}} × {{n}}
P = ((A @ A.T - np.eye(r)) ** 2).sum()
show(P)
