n = {{n}}
alpha, other = torch.softmax(4 * numbers(2, n, 1), dim=-1)  # {{n}}
show((alpha - other).abs().sum() / 2)
