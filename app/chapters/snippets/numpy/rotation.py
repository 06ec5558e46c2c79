x, y, theta = 0.8, 0.6, np.pi / 6
turn = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
turned = turn @ np.array([x, y])  # 2
phi = np.arctan2(y, x)
assert np.allclose(turned, [np.cos(phi + theta), np.sin(phi + theta)])
show(turned)
