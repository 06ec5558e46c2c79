n, u = {{n}}, 0.9
b_z, b_r = 1.0, 0.0
x = numbers(1, n, 1)[0]  # {{n}}
h = torch.zeros(())
for t in range(n):
    z, r = torch.sigmoid(x[t] + u * h + b_z), torch.sigmoid(x[t] + u * h + b_r)
    new = torch.tanh(x[t] + u * r * h)
    h = z * h + (1 - z) * new
show(torch.stack([z, r, h]))
