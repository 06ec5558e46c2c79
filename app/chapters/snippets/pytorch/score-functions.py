d = {{d}}
s, h = numbers(1, d, 1)[0], numbers(1, d, 2)[0]  # {{d}}
W = numbers(d, d, 3)  # {{d}} × {{d}}
W_c, v = numbers(d, 2 * d, 4) / d, numbers(1, d, 5)[0]  # {{d}} × 2·{{d}}, {{d}}
dot = s @ h
general = s @ W @ h
concat = v @ torch.tanh(W_c @ torch.cat([s, h]))
show(torch.stack([dot, general, concat]))
