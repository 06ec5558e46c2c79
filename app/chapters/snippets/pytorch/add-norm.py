n, d = {{n}}, {{d}}
X, O = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
gamma, beta = 1 + numbers(1, d, 3), numbers(1, d, 4)  # 1 × {{d}}
X = torch.nn.functional.layer_norm(X + O, (d,), gamma[0], beta[0], eps=1e-5)
show(X[-1])
