T, vocabulary = {{n}}, 50
p = torch.softmax(numbers(T, vocabulary, 1), dim=-1)  # {{n}} × 50
y = torch.arange(T) * 7 % vocabulary  # {{n}}
chosen = p[torch.arange(T), y]  # {{n}}
show(torch.stack([torch.prod(chosen * 50), torch.log(chosen).sum()]))
