n = {{n}}
A = torch.softmax(numbers(n, n, 1), dim=-1)  # {{n}} × {{n}}
m = n - 1
previous = A[torch.arange(1, n), torch.arange(m)]  # {{n}} - 1
weight = previous.sum() / max(m, 1)
chance = 1 / n
above = (weight - chance) / max(1 - chance, 1e-9)
show(torch.stack([weight, torch.tensor(chance), above]))
