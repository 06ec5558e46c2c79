n, r = {{n}}, {{h}}
A = torch.softmax(4 * numbers(r, n, 1), dim=-1)  # {{h}} × {{n}}
P = ((A @ A.T - torch.eye(r)) ** 2).sum()
show(P)
