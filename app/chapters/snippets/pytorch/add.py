n, d = {{n}}, {{d}}
X, O = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}
X = X + O
show(X[-1])
