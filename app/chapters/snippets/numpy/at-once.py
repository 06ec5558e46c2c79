T, vocabulary = {{n}}, 50
p_length = softmax(numbers(1, 2 * T, 1)[0])  # 2·{{n}}
p = softmax(numbers(T, vocabulary, 2))  # {{n}} × 50
log_p = np.log(p_length[T]) + np.log(p.max(1)).sum()
show([log_p, *p.argmax(1)[:5]])
