n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K, W_V = (numbers(d, d_k, start) for start in (2, 3, 4))  # {{d}} × {{d_k}}
b_Q, b_K, b_V = (numbers(1, d_k, start) for start in (5, 6, 7))  # 1 × {{d_k}}
q = X[-1] @ W_Q + b_Q  # 1 × {{d_k}}
K = X @ W_K + b_K  # {{n}} × {{d_k}}
V = X @ W_V + b_V  # {{n}} × {{d_k}}
show(torch.cat([q[-1, :2], K[-1, :2], V[-1, :2]]))
