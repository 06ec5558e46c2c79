n, d, gamma = {{n}}, {{d}}, 0.5
X = numbers(n, d, 1)  # {{n}} × {{d}}
W_f, W_g, W_h = (numbers(d, d, start) / d for start in (2, 3, 4))  # {{d}} × {{d}}
S = (X @ W_f) @ (X @ W_g).T  # s_ij: {{n}} × {{n}}
B = torch.softmax(S, dim=0).T  # beta_ji: {{n}} × {{n}}
Y = gamma * (B @ (X @ W_h)) + X  # {{n}} × {{d}}
show(Y[-1])
