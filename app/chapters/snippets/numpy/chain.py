T, vocabulary = {{n}}, 50
p = softmax(numbers(T, vocabulary, 1))  # {{n}} × 50
y = np.arange(T) * 7 % vocabulary  # {{n}}
chosen = p[np.arange(T), y]  # {{n}}
show([np.prod(chosen * 50), np.log(chosen).sum()])
