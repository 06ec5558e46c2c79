let (d, d_k) = ({{d}}, {{d_k}});
let [w_q, w_k, w_v] = [1, 2, 3].map(|i| numbers(d, d_k, i)); // {{d}} × {{d_k}}
let w_o = numbers(d_k, d, 4); // {{d_k}} × {{d}}
let qk = w_q.matmul(w_k.transpose()); // {{d}} × {{d}}, of the later head
let ov = w_v.matmul(w_o); // {{d}} × {{d}}, of the earlier head
let norm = |m: Tensor<2>| m.powi_scalar(2).sum().sqrt();
show(norm(qk.clone().matmul(ov.clone().transpose())) / (norm(qk) * norm(ov)));
