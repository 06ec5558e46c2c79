N, T, vocabulary = 2, {{n}}, 50
loss = []
for sentence in range(N):
    logits = numbers(T, vocabulary, sentence)  # {{n}} × 50
    y = torch.arange(T) * 7 % vocabulary  # {{n}}
    loss.append(torch.nn.functional.cross_entropy(logits, y))
show(torch.stack([*loss, -T * sum(loss)]))
