let (n, d_k) = ({{n}}, {{d_k}});
let (k, v) = (numbers(n, d_k, 1), numbers(n, d_k, 2)); // {{n}} × {{d_k}}
let q = numbers(1, d_k, 3); // 1 × {{d_k}}
let score = |k: Tensor<2>, q: Tensor<2>| (k * q).sum_dim(1); // {{n}} × 1
let e = score(k, q).exp();
let alpha = e.clone() / e.sum_dim(0);
show((alpha * v).sum_dim(0)); // 1 × {{d_k}}
