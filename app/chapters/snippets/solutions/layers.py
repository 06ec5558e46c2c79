{{given}}
L = 0
while 1 + L * (k - 1) < n:
    L += 1
print(L)
