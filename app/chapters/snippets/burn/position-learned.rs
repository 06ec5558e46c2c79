let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let e = numbers(n, d, 4); // {{n}} × {{d}}
let (w_q, w_k) = (numbers(d, d_k, 2) / d as f32, numbers(d, d_k, 3)); // {{d}} × {{d_k}}
let placed = x + e;
let (q, k) = (placed.clone().matmul(w_q), placed.matmul(w_k)); // {{n}} × {{d_k}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt(); // {{n}} × {{n}}
show(s.slice([n - 1..n]));
