d, vocabulary = {{d}}, 50
x = numbers(1, d, 1)  # 1 × {{d}}
W_U, b = numbers(d, vocabulary, 2), numbers(1, vocabulary, 3)  # {{d}} × 50
normed = torch.nn.functional.layer_norm(x, (d,), eps=1e-5)
p = torch.softmax(normed @ W_U / d**0.5 + b, dim=-1)  # 1 × 50
show(p)
