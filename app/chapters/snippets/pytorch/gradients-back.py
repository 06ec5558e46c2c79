d, layers = {{d}}, 8
G = numbers(1, d, 1)  # 1 × {{d}}
J = [2 * numbers(d, d, k + 2) / d**0.5 for k in range(layers)]  # {{d}} × {{d}} each
norms = []
for is_residual in (True, False):
    x = x_0 = torch.zeros(1, d, requires_grad=True)
    for l in range(layers):
        x = x * is_residual + x @ J[l].T
    (x * G).sum().backward()
    norms.append(x_0.grad.norm())
show(torch.stack(norms))
