let d = {{d}};
let (s, h) = (numbers(1, d, 1).transpose(), numbers(1, d, 2).transpose()); // {{d}} × 1
let w = numbers(d, d, 3); // {{d}} × {{d}}
let (w_c, v) = (numbers(d, 2 * d, 4) / d as f32, numbers(1, d, 5)); // {{d}} × 2·{{d}}, 1 × {{d}}
let dot = s.clone().transpose().matmul(h.clone()); // 1 × 1
let general = s.clone().transpose().matmul(w).matmul(h.clone());
let concat = v.matmul(w_c.matmul(Tensor::cat(vec![s, h], 0)).tanh());
show(Tensor::cat(vec![dot, general, concat], 1));
