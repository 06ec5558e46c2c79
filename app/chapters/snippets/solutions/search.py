import numpy as np

{{given}}
print(np.mean(log_p))
