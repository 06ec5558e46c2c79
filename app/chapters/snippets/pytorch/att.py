n, d_k = {{n}}, {{d_k}}
K, V = numbers(n, d_k, 1), numbers(n, d_k, 2)  # {{n}} × {{d_k}}
q = numbers(1, d_k, 3)[0]  # {{d_k}}


def s(k, q):
    return k @ q


e = torch.exp(torch.stack([s(k, q) for k in K]))  # {{n}}
alpha = e / e.sum()
show(sum(alpha[i] * V[i] for i in range(n)))
