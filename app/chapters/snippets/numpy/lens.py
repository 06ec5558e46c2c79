d, vocabulary = {{d}}, 50
x = numbers(1, d, 1)  # 1 × {{d}}
W_U, b = numbers(d, vocabulary, 2), numbers(1, vocabulary, 3)  # {{d}} × 50
normed = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
p = softmax(normed @ W_U / np.sqrt(d) + b)  # 1 × 50
show(p)
