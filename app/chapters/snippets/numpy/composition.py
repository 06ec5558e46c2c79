d, d_k = {{d}}, {{d_k}}
W_Q, W_K, W_V = numbers(d, d_k, 1), numbers(d, d_k, 2), numbers(d, d_k, 3)  # {{d}} × {{d_k}}
W_O = numbers(d_k, d, 4)  # {{d_k}} × {{d}}
QK, OV = W_Q @ W_K.T, W_V @ W_O  # {{d}} × {{d}}, of the later and of the earlier head
norm = np.linalg.norm
show(norm(QK @ OV.T) / (norm(QK) * norm(OV)))
