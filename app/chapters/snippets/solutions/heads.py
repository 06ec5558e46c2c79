import numpy as np

{{given}}
print(np.abs(np.array(a) - np.array(b)).sum() / 2)
