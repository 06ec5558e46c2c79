import numpy as np

{{given}}
print(np.sin(p / 10000 ** (2 * i / d)))
