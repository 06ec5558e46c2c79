import numpy as np

{{given}}
A = np.array([a, b])
print(((A @ A.T - np.eye(2)) ** 2).sum())
