n, d = {{n}}, {{d}}
table = numbers(50, d, 1)  # 50 × {{d}}
ids = torch.arange(n) * 7 % 50  # {{n}}
X = table[ids]  # {{n}} × {{d}}
show(X[-1])
