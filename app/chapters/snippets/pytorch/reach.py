k = 3
L = torch.arange(1, 4)  # 3
plain = 1 + L * (k - 1)
dilated = k**L
show(torch.cat([plain, dilated]))
