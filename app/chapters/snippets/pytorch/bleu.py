p = torch.tensor([0.8, 0.6, 0.4, 0.3])  # 4
alpha = torch.full((4,), 1 / 4)  # 4
l_x, l_s = torch.tensor(6), torch.tensor(7)
b = torch.exp(1 - l_s / l_x) if l_x <= l_s else torch.tensor(1.0)
bleu = b * torch.exp(torch.sum(alpha * torch.log(p)))
show(torch.stack([b, bleu, b * torch.prod(p**alpha)]))
