let (d, parts) = ({{d}}, {{h}} + 1);
let p = numbers(parts, d, 1); // parts × {{d}}
let (u, g, bias) = (numbers(1, d, 2), numbers(1, d, 3) + 1.0, 0.1); // 1 × {{d}}
let x = p.clone().sum_dim(0); // 1 × {{d}}
let sigma = (x.powi_scalar(2).mean_dim(1) + 1e-6).sqrt();
let shares = p.matmul((u * g / sigma).transpose()); // parts × 1
let last = shares.clone().slice([parts - 1..parts]);
show(Tensor::cat(vec![last, shares.sum_dim(0) + bias], 0));
