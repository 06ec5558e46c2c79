n, d = {{n}}, {{d}}
X, O = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
gamma, beta = 1 + numbers(1, d, 3), numbers(1, d, 4)  # 1 × {{d}}
Y = X + O
mean, variance = Y.mean(1, keepdims=True), Y.var(1, keepdims=True)  # {{n}} × 1
X = (Y - mean) / np.sqrt(variance + 1e-5) * gamma + beta
show(X[-1])
