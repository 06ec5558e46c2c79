A = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])  # 3 × 3
S = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0]])  # 3 × 3
P = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0]])  # 3 × 3
error = 1 - ((A & S).sum() + (A & P).sum()) / (A.sum() + S.sum())
show(error)
