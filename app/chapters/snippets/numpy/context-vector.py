n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
U, W, b = numbers(d, d, 2) / d, numbers(2 * d, d, 3) / d, numbers(1, d, 4)[0]
forwards = backwards = np.zeros(d)
for t in range(n):
    forwards = np.tanh(X[t] + forwards @ U)  # {{d}}
    backwards = np.tanh(X[n - 1 - t] + backwards @ U)
C = np.concatenate([forwards, backwards])  # 2·{{d}}
show(np.tanh(C @ W + b))
