n, d = {{n}}, {{d}}
p = torch.arange(n)[:, None]  # {{n}} × 1
angle = p / 10000 ** (torch.arange(0, d, 2) / d)  # {{n}} × {{d}}/2
PE = torch.zeros(n, d)  # {{n}} × {{d}}
PE[:, 0::2] = torch.sin(angle)
PE[:, 1::2] = torch.cos(angle)
show(PE[-1])
