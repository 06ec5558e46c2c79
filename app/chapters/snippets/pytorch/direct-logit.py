d, parts = {{d}}, {{h}} + 1
P = numbers(parts, d, 1)  # parts × {{d}}
u, g, bias = numbers(1, d, 2)[0], 1 + numbers(1, d, 3)[0], 0.1  # {{d}}
x = P.sum(0)  # {{d}}
sigma = torch.sqrt((x**2).mean() + 1e-6)
shares = P @ (u * g / sigma)  # parts
show(torch.stack([shares[-1], shares.sum() + bias]))
