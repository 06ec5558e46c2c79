let (n, d_k) = ({{n}}, {{d_k}});
let a = burn::tensor::activation::softmax(numbers(1, n, 1), 1); // 1 × {{n}}
let v = numbers(n, d_k, 2); // {{n}} × {{d_k}}
let z = (a.clone().transpose() * v.clone()).sum_dim(0); // 1 × {{d_k}}
assert!(z.clone().all_close(a.matmul(v), None, Some(1e-5)));
show(z);
