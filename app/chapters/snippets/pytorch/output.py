n, h, d_k, d = {{n}}, {{h}}, {{d_k}}, {{d}}
Z = numbers(n, h * d_k, 1)  # {{n}} × ({{h}} · {{d_k}})
W_O = numbers(h * d_k, d, 2)  # ({{h}} · {{d_k}}) × {{d}}
O = Z @ W_O  # {{n}} × {{d}}
show(O[-1])
