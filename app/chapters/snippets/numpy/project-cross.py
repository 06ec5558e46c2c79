n, d, d_k = {{n}}, {{d}}, {{d_k}}
E = numbers(n, d, 1)  # {{n}} × {{d}}
x = numbers(1, d, 2)  # 1 × {{d}}
W_Q, W_K, W_V = (numbers(d, d_k, start) for start in (3, 4, 5))  # {{d}} × {{d_k}}
q = x @ W_Q  # 1 × {{d_k}}
K, V = E @ W_K, E @ W_V  # {{n}} × {{d_k}}
show([q[0, 0], q[0, 1], K[-1, 0], K[-1, 1], V[-1, 0], V[-1, 1]])
