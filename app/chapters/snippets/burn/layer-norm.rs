let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (gamma, beta) = (numbers(1, d, 2) + 1.0, numbers(1, d, 3)); // 1 × {{d}}
let centred = x.clone() - x.mean_dim(1); // {{n}} × {{d}}
let variance = centred.clone().powi_scalar(2).mean_dim(1); // {{n}} × 1
let x_hat = centred / (variance + 1e-5).sqrt() * gamma + beta;
show(x_hat.slice([n - 1..n]));
