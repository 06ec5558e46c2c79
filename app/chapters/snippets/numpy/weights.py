n, d_k = {{n}}, {{d_k}}
q = numbers(1, d_k, 1)[0]  # {{d_k}}
K = numbers(n, d_k, 2)  # {{n}} × {{d_k}}
s = K @ q / np.sqrt(d_k)  # {{n}}
a = np.exp(s) / np.exp(s).sum()
show(a)
