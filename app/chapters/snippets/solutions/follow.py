import numpy as np

{{given}}
s = np.array(S)[-1] / np.sqrt(d_k)
a = np.exp(s) / np.exp(s).sum()
print(a.max())
