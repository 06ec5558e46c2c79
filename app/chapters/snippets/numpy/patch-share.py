z_clean = np.array([4.2, 1.1])  # 2
z_other = np.array([0.7, 3.9])  # 2
z_patched = np.array([2.9, 1.8])  # 2
clean, other, patched = (z[0] - z[1] for z in (z_clean, z_other, z_patched))
show((patched - other) / (clean - other))
