c_x = np.array([3.0, 1.0, 0.0, 2.0])  # 4
c_s = np.array([[2.0, 1.0, 1.0, 0.0], [1.0, 2.0, 0.0, 1.0]])  # 2 × 4
matched = np.minimum(c_x, c_s.max(0))  # 4
show(matched.sum() / c_x.sum())
