import numpy as np

{{given}}
masked = np.array(s)
masked[visible:] = -np.inf
e = np.exp(masked)
a = e / e.sum()
print(a[0])
