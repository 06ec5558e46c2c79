n, u = {{n}}, 0.9
b_i, b_f, b_o = 0.0, 1.0, 0.0
x = numbers(1, n, 1)[0]  # {{n}}
h = c = 0.0
for t in range(n):
    s = x[t] + u * h
    i, f, o = sigmoid(s + b_i), sigmoid(s + b_f), sigmoid(s + b_o)
    c = f * c + i * np.tanh(s)
    h = o * np.tanh(c)
show([c, h])
