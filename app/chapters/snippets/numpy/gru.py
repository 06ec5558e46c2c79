n, u = {{n}}, 0.9
b_z, b_r = 1.0, 0.0
x = numbers(1, n, 1)[0]  # {{n}}
h = 0.0
for t in range(n):
    z, r = sigmoid(x[t] + u * h + b_z), sigmoid(x[t] + u * h + b_r)
    new = np.tanh(x[t] + u * r * h)
    h = z * h + (1 - z) * new
show([z, r, h])
