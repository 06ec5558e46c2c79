let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let mu = x.clone().sum_dim(0) / n as f32; // 1 × {{d}}
let centred = x - mu;
let variance = centred.clone().powi_scalar(2).sum_dim(0) / n as f32;
show((centred / (variance + 1e-5).sqrt()).slice([n - 1..n]));
