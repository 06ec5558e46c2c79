let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let gamma = numbers(1, d, 2) + 1.0; // 1 × {{d}}
let mean_square = x.clone().powi_scalar(2).mean_dim(1); // {{n}} × 1
let x_hat = x / (mean_square + 1e-6).sqrt() * gamma; // {{n}} × {{d}}
show(x_hat.slice([n - 1..n]));
