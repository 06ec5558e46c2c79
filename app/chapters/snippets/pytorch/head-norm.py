n, d_k = {{n}}, {{d_k}}
Q, K = numbers(n, d_k, 1), numbers(n, d_k, 2)  # {{n}} × {{d_k}}
gamma_Q, gamma_K = 1 + numbers(1, d_k, 3), 1 + numbers(1, d_k, 4)  # 1 × {{d_k}}
Q_hat = Q / torch.sqrt((Q**2).mean(1, keepdim=True) + 1e-6) * gamma_Q
K_hat = K / torch.sqrt((K**2).mean(1, keepdim=True) + 1e-6) * gamma_K
show(Q_hat[-1] + K_hat[-1])
