import numpy as np

{{given}}
e = np.exp(s)
a = e / e.sum()
print(a[-1])
