L, alpha = {{n}}, 0.7
log_p = np.log(softmax(numbers(L, 50, 1))[:, 0])  # {{n}}
score = log_p.sum() / L**alpha
show([log_p.sum(), score])
