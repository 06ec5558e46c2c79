n, d, h = {{n}}, {{d}}, {{h}}
p_q = p_k = {{d_k}}
p_v = 2 * p_q
X = numbers(n, d, 1)  # {{n}} × {{d}}
o = []
for i in range(h):
    W_q, W_k = numbers(d, p_q, 3 * i + 2) / d, numbers(d, p_k, 3 * i + 3)  # {{d}} × {{d_k}}
    W_v = numbers(d, p_v, 3 * i + 4) / d  # {{d}} × 2·{{d_k}}
    o.append(torch.softmax((X @ W_q) @ (X @ W_k).T / p_k**0.5, dim=-1) @ (X @ W_v))
W_O = numbers(h * p_v, d, 5)  # ({{h}} · 2·{{d_k}}) × {{d}}
show((torch.cat(o, dim=1) @ W_O)[-1])
