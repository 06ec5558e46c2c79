let (n, d) = ({{n}}, {{d}});
let (x, o) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let (gamma, beta) = (numbers(1, d, 3) + 1.0, numbers(1, d, 4)); // 1 × {{d}}
let y = x + o;
let centred = y.clone() - y.mean_dim(1);
let variance = centred.clone().powi_scalar(2).mean_dim(1); // {{n}} × 1
let x = centred / (variance + 1e-5).sqrt() * gamma + beta;
show(x.slice([n - 1..n]));
