n, d = {{n}}, {{d}}
h, c = numbers(n, d, 1), numbers(n, d, 2)  # {{n}} × {{d}}, {{n}} × {{d}}
x, last = numbers(1, d, 3), numbers(1, d, 4)  # 1 × {{d}}, 1 × {{d}}
W_h, W_x, W_s, v = [numbers(d, d, k) for k in (5, 6, 7)] + [numbers(1, d, 8)]
s = torch.softmax(v @ torch.tanh(h @ W_h + x @ W_x + last @ W_s).T, dim=-1)  # 1 × {{n}}
h_sum, c_sum = s @ h, s @ c  # 1 × {{d}}, 1 × {{d}}
i, f, o, g = [h_sum @ numbers(d, d, k) / d + x @ numbers(d, d, k + 4) / d for k in (9, 10, 11, 12)]
c_t = torch.sigmoid(f) * c_sum + torch.sigmoid(i) * torch.tanh(g)
h_t = torch.sigmoid(o) * torch.tanh(c_t)  # 1 × {{d}}
show(torch.cat([s[0, -1:], h_t[0, :3]]))
