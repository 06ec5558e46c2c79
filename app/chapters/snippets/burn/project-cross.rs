let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let e = numbers(n, d, 1); // {{n}} × {{d}}
let x = numbers(1, d, 2); // 1 × {{d}}
let [w_q, w_k, w_v] = [3, 4, 5].map(|start| numbers(d, d_k, start)); // {{d}} × {{d_k}}
let q = x.matmul(w_q); // 1 × {{d_k}}
let (k, v) = (e.clone().matmul(w_k), e.matmul(w_v)); // {{n}} × {{d_k}}
let last = |m: Tensor<2>, rows: usize| m.slice([rows - 1..rows, 0..2]);
show(Tensor::cat(vec![last(q, 1), last(k, n), last(v, n)], 1));
