{{given}}
seen = range(q - k + 1, q + 1)
print(sum(weight for key, weight in enumerate(w) if key not in seen))
