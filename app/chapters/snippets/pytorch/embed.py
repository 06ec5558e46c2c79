n, d = {{n}}, {{d}}
table = numbers(50, d, 1)  # 50 × {{d}}
ids = torch.arange(n) * 7 % 50  # {{n}}
P = numbers(n, d, 2)  # {{n}} × {{d}}
X = table[ids] + P  # {{n}} × {{d}}
show(X[-1])
