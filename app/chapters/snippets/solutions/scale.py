import numpy as np

{{given}}
e = np.exp(np.array(scores) - max(scores))
a = e / e.sum()
print(a.max())
