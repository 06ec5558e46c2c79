n, D = {{n}}, 4
e = numbers(1, n, 1)[0]  # {{n}}
p, sigma = (n - 1) / 2, D / 2
j = torch.arange(n)
a = torch.softmax(e, dim=-1) * torch.exp(-((j - p) ** 2) / (2 * sigma**2))  # {{n}}
show(a)
