let (n, u) = ({{n}}, 0.9);
let x = numbers(1, n, 1); // 1 × {{n}}
let mut h = x.clone().slice([0..1, 0..1]).zeros_like(); // 1 × 1
let mut gradient = h.ones_like();
for t in 0..n {
    h = (x.clone().slice([0..1, t..t + 1]) + h * u).tanh();
    gradient = gradient * (h.clone().powi_scalar(2).neg() + 1.0) * u;
}
show(Tensor::cat(vec![h, gradient], 1));
