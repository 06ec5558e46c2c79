d = {{d}}
part, x = numbers(1, d, 1)[0], numbers(1, d, 2)[0]  # {{d}}
g, v = 1 + numbers(1, d, 3)[0], numbers(1, d, 4)[0]  # {{d}}
sigma = torch.sqrt(x.var(correction=0) + 1e-5)
v_before = g * v - (g * v).mean()
v_before /= sigma
show(torch.stack([v_before @ part, v @ ((part - part.mean()) / sigma * g)]))
