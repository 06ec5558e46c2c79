def numbers(rows, columns, start):
    i = np.arange(rows * columns, dtype=np.int64)
    return ((i * i + start * i) % 101 - 50).reshape(rows, columns) / 100
