let (n, d, d_k, r) = ({{n}}, {{d}}, {{d_k}}, 2);
let (x, q) = (numbers(n, d, 1), numbers(1, d_k, 2)); // {{n}} × {{d}}, 1 × {{d_k}}
let (down, key) = (numbers(d, r, 3), numbers(r, d_k, 4)); // {{d}} × 2, 2 × {{d_k}}
let c = x.matmul(down); // {{n}} × 2, which is kept
let absorbed = c.matmul(key.matmul(q.transpose())).transpose(); // 1 × {{n}}
show(absorbed.slice([0..1, n.saturating_sub(6)..n]));
