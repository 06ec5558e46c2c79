n, d, d_a, r = {{n}}, {{d}}, 8, {{h}}
H = numbers(n, d, 1)  # {{n}} × {{d}}
W_1, W_2 = numbers(d_a, d, 2), numbers(r, d_a, 3)  # 8 × {{d}}, {{h}} × 8
A = softmax(W_2 @ np.tanh(W_1 @ H.T))  # {{h}} × {{n}}
M = A @ H  # {{h}} × {{d}}
show(M[-1])
