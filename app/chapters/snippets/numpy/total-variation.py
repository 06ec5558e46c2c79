n = {{n}}
alpha, other = softmax(4 * numbers(2, n, 1))  # {{n}}
show(np.abs(alpha - other).sum() / 2)
