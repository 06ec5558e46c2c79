c_x = torch.tensor([3.0, 1.0, 0.0, 2.0])  # 4
c_s = torch.tensor([[2.0, 1.0, 1.0, 0.0], [1.0, 2.0, 0.0, 1.0]])  # 2 × 4
matched = torch.minimum(c_x, c_s.max(0).values)  # 4
show(matched.sum() / c_x.sum())
