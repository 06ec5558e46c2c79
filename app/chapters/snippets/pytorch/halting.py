d, p = {{d}}, torch.tensor([0.2, 0.3, 0.4, 0.3])  # 4
S = numbers(4, d, 1)  # 4 × {{d}}
N = int((p.cumsum(0) < 0.99).sum()) + 1
R = 1 - p[: N - 1].sum()
s = p[: N - 1] @ S[: N - 1] + R * S[N - 1]  # {{d}}
show(torch.cat([torch.stack([torch.tensor(float(N)), R]), s[:4]]))
