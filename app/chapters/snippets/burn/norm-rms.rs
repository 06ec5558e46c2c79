let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let mean_square = x.clone().powi_scalar(2).sum_dim(1) / d as f32; // {{n}} × 1
show((x / (mean_square + 1e-5).sqrt()).slice([n - 1..n]));
