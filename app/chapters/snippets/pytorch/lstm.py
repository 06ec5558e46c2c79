n, u = {{n}}, 0.9
b_i, b_f, b_o = 0.0, 1.0, 0.0
x = numbers(1, n, 1)[0]  # {{n}}
h = c = torch.zeros(())
for t in range(n):
    s = x[t] + u * h
    i, f, o = torch.sigmoid(s + b_i), torch.sigmoid(s + b_f), torch.sigmoid(s + b_o)
    c = f * c + i * torch.tanh(s)
    h = o * torch.tanh(c)
show(torch.stack([c, h]))
