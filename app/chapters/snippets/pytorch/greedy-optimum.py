first = torch.tensor([0.5, 0.4, 0.1])  # 3
second = torch.tensor([[0.4, 0.3, 0.3], [0.9, 0.05, 0.05], [0.3, 0.3, 0.4]])  # 3 × 3
joint = first[:, None] * second  # 3 × 3
greedy = first.max() * second[first.argmax()].max()
optimum = joint.max()
assert greedy <= optimum
show(torch.stack([greedy, optimum]))
