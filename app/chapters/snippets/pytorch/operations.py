n, d, attentions = torch.tensor({{n}}), {{d}}, 6
parameters = attentions * (4 * d * d + 8 * d * d)
matrices = 2 * n * parameters
pairs = 4 * n**2 * d * attentions
show(torch.stack([matrices / (matrices + pairs), pairs / (matrices + pairs)]))
