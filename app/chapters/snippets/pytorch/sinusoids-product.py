d, p, k = {{d}}, {{n}}, 3
frequency = 1 / 10000 ** (torch.arange(0, d, 2) / d)  # {{d}}/2
first, second = p * frequency, (p + k) * frequency
product = torch.sin(first) @ torch.sin(second) + torch.cos(first) @ torch.cos(second)
show(torch.stack([product, torch.cos(k * frequency).sum()]))
