let (n, d_k) = ({{n}}, {{d_k}});
let q = numbers(1, d_k, 1); // 1 × {{d_k}}
let k = numbers(n, d_k, 2); // {{n}} × {{d_k}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt(); // 1 × {{n}}
show(s);
