L, alpha = {{n}}, 0.7
log_p = torch.log_softmax(numbers(L, 50, 1), dim=-1)[:, 0]  # {{n}}
score = log_p.sum() / L**alpha
show(torch.stack([log_p.sum(), score]))
