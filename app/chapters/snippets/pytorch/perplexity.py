T, vocabulary = {{n}}, 50
p = torch.softmax(numbers(T, vocabulary, 1), dim=-1)  # {{n}} × 50
chosen = p[torch.arange(T), torch.arange(T) * 7 % vocabulary]  # {{n}}
perplexity = 2 ** -torch.log2(chosen).mean()
show(perplexity)
