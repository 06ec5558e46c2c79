n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
gamma = 1 + numbers(1, d, 2)  # 1 × {{d}}
mean_square = (X**2).mean(1, keepdims=True)  # {{n}} × 1
X_hat = X / np.sqrt(mean_square + 1e-6) * gamma  # {{n}} × {{d}}
show(X_hat[-1])
