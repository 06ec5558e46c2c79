T, vocabulary = {{n}}, 50
p = softmax(numbers(T, vocabulary, 1))  # {{n}} × 50
chosen = p[np.arange(T), np.arange(T) * 7 % vocabulary]  # {{n}}
perplexity = 2 ** -np.log2(chosen).mean()
show(perplexity)
