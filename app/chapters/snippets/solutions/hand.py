import numpy as np

{{given}}
print(np.dot(q, k) / np.sqrt(len(q)))
