n, pairs = {{n}}, {{d_k}} // 2
Q = numbers(n, 2 * pairs, 1)  # {{n}} × {{d_k}}
angle = torch.outer(torch.arange(n), 10000.0 ** -(torch.arange(pairs) / pairs))
first, second = Q[:, :pairs], Q[:, pairs:]
Q_R = torch.cat(
    [
        first * torch.cos(angle) - second * torch.sin(angle),
        second * torch.cos(angle) + first * torch.sin(angle),
    ],
    dim=1,
)
show(Q_R[-1])
