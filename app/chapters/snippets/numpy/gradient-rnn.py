n, u = {{n}}, 0.9
x = numbers(1, n, 1)[0]  # {{n}}
h, gradient = 0.0, 1.0
for t in range(n):
    h = np.tanh(x[t] + u * h)
    gradient *= u * (1 - h**2)
show([h, gradient])
