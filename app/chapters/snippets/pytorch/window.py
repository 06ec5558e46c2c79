n, d_k, w, s = {{n}}, {{d_k}}, 3, 1
Q, K, V = (numbers(n, d_k, start) for start in (1, 2, 3))  # {{n}} × {{d_k}}
i, j = torch.arange(n)[:, None], torch.arange(n)
seen = (j <= i) & ((i - j < w) | (j < s))
A = torch.softmax((Q @ K.T / d_k**0.5).masked_fill(~seen, -torch.inf), dim=-1)  # {{n}} × {{n}}
show((A @ V)[n - 1])
