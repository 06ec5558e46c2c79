{{given}}
gradient = 1.0
for _ in range(n):
    gradient *= u * (1 - h**2)
print(gradient)
