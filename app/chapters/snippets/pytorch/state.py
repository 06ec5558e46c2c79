n, d = {{n}}, {{d}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
U, W_o = numbers(d, d, 2) / d, numbers(d, 50, 3)  # {{d}} × {{d}}, {{d}} × 50
h = torch.zeros(d)
for x in X[:-1]:
    h = torch.tanh(x + h @ U)  # {{d}}
show(torch.softmax(h @ W_o, dim=-1))  # 50
