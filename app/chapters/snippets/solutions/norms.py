import numpy as np

{{given}}
x = np.array(x)
x_hat = (x - x.mean()) / x.std()
print(x_hat[0])
