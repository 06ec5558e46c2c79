N, T, vocabulary = 2, {{n}}, 50
loss = []
for sentence in range(N):
    p = softmax(numbers(T, vocabulary, sentence))  # {{n}} × 50
    y = np.arange(T) * 7 % vocabulary  # {{n}}
    loss.append(-np.log(p[np.arange(T), y]).mean())
show([*loss, -T * sum(loss)])
