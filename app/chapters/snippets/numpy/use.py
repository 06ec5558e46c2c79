n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
A = softmax(X @ X.T / np.sqrt(d))  # {{n}} × {{n}}
X = A @ X  # {{n}} × {{d}}
show(X[-1])
