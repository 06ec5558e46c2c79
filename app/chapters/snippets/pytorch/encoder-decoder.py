n, d, vocabulary = {{n}}, {{d}}, 50
E_x, E_y = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
U_enc, U_dec = numbers(d, d, 3) / d, numbers(d, d, 4) / d  # {{d}} × {{d}}
W_o = numbers(d, vocabulary, 5)  # {{d}} × 50
h = torch.zeros(d)
for e in E_x:
    h = torch.tanh(e + h @ U_enc)
u = h  # {{d}}
for e in E_y:
    h = torch.tanh(e + h @ U_dec)
    o = torch.softmax(h @ W_o, dim=-1)  # 50
show(o)
