let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let [w_q, w_k, w_v] = [2, 3, 4].map(|start| numbers(d, d_k, start)); // {{d}} × {{d_k}}
let [b_q, b_k, b_v] = [5, 6, 7].map(|start| numbers(1, d_k, start)); // 1 × {{d_k}}
let q = x.clone().slice([n - 1..n]).matmul(w_q) + b_q; // 1 × {{d_k}}
let k = x.clone().matmul(w_k) + b_k; // {{n}} × {{d_k}}
let v = x.matmul(w_v) + b_v; // {{n}} × {{d_k}}
let last = |m: Tensor<2>, rows: usize| m.slice([rows - 1..rows, 0..2]);
show(Tensor::cat(vec![last(q, 1), last(k, n), last(v, n)], 1));
