n, d, d_k = {{n}}, {{d}}, {{d_k}}
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_Q, W_K, W_V = (numbers(d, d_k, start) / d_k for start in (2, 3, 4))  # {{d}} × {{d_k}}
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # {{n}} × {{d_k}}
A = torch.softmax(Q @ K.T / d_k**0.5, dim=-1)  # {{n}} × {{n}}
Z = A @ V  # {{n}} × {{d_k}}
show(Z[-1])
