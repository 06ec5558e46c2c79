n, pairs = {{n}}, {{d_k}} // 2
Q = numbers(n, 2 * pairs, 1)  # {{n}} × {{d_k}}
angle = np.outer(np.arange(n), 10000.0 ** -(np.arange(pairs) / pairs))
first, second = Q[:, :pairs], Q[:, pairs:]
Q_R = np.concatenate(
    [
        first * np.cos(angle) - second * np.sin(angle),
        second * np.cos(angle) + first * np.sin(angle),
    ],
    axis=1,
)
show(Q_R[-1])
