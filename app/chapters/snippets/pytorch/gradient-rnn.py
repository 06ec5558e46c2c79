n, u = {{n}}, 0.9
x = numbers(1, n, 1)[0]  # {{n}}
h_0 = torch.zeros((), requires_grad=True)
h = h_0
for t in range(n):
    h = torch.tanh(x[t] + u * h)
h.backward()
show(torch.stack([h, h_0.grad]))
