import numpy as np

{{given}}
angle = p * 10000 ** (-2 * i / d)
turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
print(turn @ q @ k)
