let d = {{d}};
let centred = |x: Tensor<2>| x.clone() - x.mean_dim(1);
let (part, x) = (numbers(1, d, 1), numbers(1, d, 2)); // 1 × {{d}}
let (g, v) = (numbers(1, d, 3) + 1.0, numbers(1, d, 4)); // 1 × {{d}}
let sigma = (centred(x).powi_scalar(2).mean_dim(1) + 1e-5).sqrt();
let v_before = centred(g.clone() * v.clone()) / sigma.clone();
let share = (v_before * part.clone()).sum_dim(1);
let forwards = (v * (centred(part) / sigma * g)).sum_dim(1);
show(Tensor::cat(vec![share, forwards], 1));
