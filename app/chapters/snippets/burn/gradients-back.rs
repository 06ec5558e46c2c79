let (d, layers) = ({{d}}, 8);
let g = numbers(1, d, 1); // 1 × {{d}}
let j = |l: usize| numbers(d, d, l + 2) * 2 / (d as f32).sqrt(); // {{d}} × {{d}}
let (mut with_residual, mut without) = (g.clone(), g);
for l in (0..layers).rev() {
    with_residual = with_residual.clone() + with_residual.matmul(j(l));
    without = without.matmul(j(l));
}
let norm = |x: Tensor<2>| x.powi_scalar(2).sum_dim(1).sqrt();
show(Tensor::cat(vec![norm(with_residual), norm(without)], 1));
