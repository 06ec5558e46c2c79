n = {{n}}
A = softmax(numbers(n, n, 1))  # {{n}} × {{n}}
m = n - 1
previous = A[np.arange(1, n), np.arange(m)]  # {{n}} - 1
weight = previous.sum() / max(m, 1)
chance = 1 / n
show([weight, chance, (weight - chance) / max(1 - chance, 1e-9)])
