x, y, theta = 0.8, 0.6, torch.tensor(torch.pi / 6)
cos, sin = torch.cos(theta), torch.sin(theta)
turn = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])  # 2 × 2
turned = turn @ torch.tensor([x, y])  # 2
show(turned)
