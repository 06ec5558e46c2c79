let (n, d_k) = ({{n}}, {{d_k}});
let (q, k) = (numbers(n, d_k, 1), numbers(n, d_k, 2)); // {{n}} × {{d_k}}
let row = |i: usize| (q.clone().slice([i..i + 1]) * k.clone()).sum_dim(1).transpose();
let s = Tensor::cat((0..n).map(row).collect(), 0); // {{n}} × {{n}}
assert!(s.clone().all_close(q.matmul(k.transpose()), None, Some(1e-5)));
show(s.slice([n - 1..n]));
