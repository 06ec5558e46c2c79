n, h, d_k = {{n}}, {{h}}, {{d_k}}
Z = [numbers(n, d_k, head) for head in range(h)]  # {{h}} × {{n}} × {{d_k}}
joined = torch.cat(Z, dim=1)  # {{n}} × ({{h}} · {{d_k}})
assert joined.shape == (n, h * d_k)
show(joined[-1, -6:])
