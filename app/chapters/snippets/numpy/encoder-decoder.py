n, d, vocabulary = {{n}}, {{d}}, 50
E_x, E_y = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
U_enc, U_dec = numbers(d, d, 3) / d, numbers(d, d, 4) / d  # {{d}} × {{d}}
W_o = numbers(d, vocabulary, 5)  # {{d}} × 50
h = np.zeros(d)
for e in E_x:
    h = np.tanh(e + h @ U_enc)
u = h  # {{d}}
for e in E_y:
    h = np.tanh(e + h @ U_dec)
    o = softmax(h @ W_o)  # 50
show(o)
