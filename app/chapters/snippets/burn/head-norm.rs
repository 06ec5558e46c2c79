let (n, d_k) = ({{n}}, {{d_k}});
let norm = |x: Tensor<2>, gamma: Tensor<2>| {
    let mean_square = x.clone().powi_scalar(2).mean_dim(1);
    x / (mean_square + 1e-6).sqrt() * gamma
};
let q_hat = norm(numbers(n, d_k, 1), numbers(1, d_k, 3) + 1.0); // {{n}} × {{d_k}}
let k_hat = norm(numbers(n, d_k, 2), numbers(1, d_k, 4) + 1.0);
show((q_hat + k_hat).slice([n - 1..n]));
