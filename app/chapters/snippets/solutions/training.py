import numpy as np

{{given}}
gradient = np.array(p)
gradient[target] -= 1
print(gradient[target])
