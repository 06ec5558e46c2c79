n, d_k = {{n}}, {{d_k}}
Q, K = numbers(n, d_k, 1), numbers(n, d_k, 2)  # {{n}} × {{d_k}}
S = np.array([[q @ k for k in K] for q in Q])  # {{n}} × {{n}}
assert np.allclose(S, Q @ K.T)
show(S[-1])
