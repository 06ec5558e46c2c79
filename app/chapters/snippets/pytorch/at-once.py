T, vocabulary = {{n}}, 50
p_length = torch.softmax(numbers(1, 2 * T, 1)[0], dim=-1)  # 2·{{n}}
p = torch.softmax(numbers(T, vocabulary, 2), dim=-1)  # {{n}} × 50
log_p = torch.log(p_length[T]) + torch.log(p.max(1).values).sum()
show(torch.cat([log_p[None], p.argmax(1)[:5]]))
