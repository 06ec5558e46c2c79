n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
gamma, beta = 1 + numbers(1, d, 2), numbers(1, d, 3)  # 1 × {{d}}
mean = X.mean(1, keepdims=True)  # {{n}} × 1
variance = X.var(1, keepdims=True)
X_hat = (X - mean) / np.sqrt(variance + 1e-5) * gamma + beta
show(X_hat[-1])
