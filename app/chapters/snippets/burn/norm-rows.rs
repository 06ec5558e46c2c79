let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let mu = x.clone().sum_dim(1) / d as f32; // {{n}} × 1
let centred = x - mu;
let variance = centred.clone().powi_scalar(2).sum_dim(1) / d as f32;
show((centred / (variance + 1e-5).sqrt()).slice([n - 1..n]));
