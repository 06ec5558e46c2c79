let (n, u) = ({{n}}, 0.9);
let (b_z, b_r) = (1.0, 0.0);
let x = numbers(1, n, 1); // 1 × {{n}}
let mut h = x.clone().slice([0..1, 0..1]).zeros_like(); // 1 × 1
let (mut z, mut r) = (h.clone(), h.clone());
for t in 0..n {
    let x = x.clone().slice([0..1, t..t + 1]);
    let gate = |b: f32| burn::tensor::activation::sigmoid(x.clone() + h.clone() * u + b);
    (z, r) = (gate(b_z), gate(b_r));
    let new = (x + r.clone() * h.clone() * u).tanh();
    h = z.clone() * h + (z.clone().neg() + 1.0) * new;
}
show(Tensor::cat(vec![z, r, h], 1));
