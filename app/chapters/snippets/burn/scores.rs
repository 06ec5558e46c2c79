let (n, d_k) = ({{n}}, {{d_k}});
let q = numbers(1, d_k, 1); // 1 × {{d_k}}
let k = numbers(n, d_k, 2); // {{n}} × {{d_k}}
let s = q.clone().matmul(k.clone().transpose()); // 1 × {{n}}
let by_sum = (q * k).sum_dim(1).transpose();
assert!(s.clone().all_close(by_sum, None, Some(1e-5)));
show(s);
