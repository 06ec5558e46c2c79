n, d_k, B = {{n}}, {{d_k}}, 2
plain = 4 * n * d_k + 4 * n * n
blocked = 2 * n * d_k + 2 * n * d_k * -(-n // B)
show([float(plain), float(blocked)])
