let (n, d_k) = ({{n}}, {{d_k}});
let (q, k, v) = (numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3)); // 1 × {{d_k}}, {{n}} × {{d_k}}
let state = k.transpose().matmul(v); // {{d_k}} × {{d_k}}
show(q.matmul(state).slice([0..1, d_k.saturating_sub(6)..d_k]));
