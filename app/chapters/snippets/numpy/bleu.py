p = np.array([0.8, 0.6, 0.4, 0.3])  # 4
alpha = np.full(4, 1 / 4)  # 4
l_x, l_s = 6, 7
b = np.exp(1 - l_s / l_x) if l_x <= l_s else 1
bleu = b * np.exp(np.sum(alpha * np.log(p)))
show([b, bleu, b * np.prod(p**alpha)])
