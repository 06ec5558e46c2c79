let (n, u) = ({{n}}, 0.9);
let (b_i, b_f, b_o) = (0.0, 1.0, 0.0);
let x = numbers(1, n, 1); // 1 × {{n}}
let mut h = x.clone().slice([0..1, 0..1]).zeros_like(); // 1 × 1
let mut c = h.clone();
for t in 0..n {
    let s = x.clone().slice([0..1, t..t + 1]) + h * u;
    let gate = |b: f32| burn::tensor::activation::sigmoid(s.clone() + b);
    c = gate(b_f) * c + gate(b_i) * s.clone().tanh();
    h = gate(b_o) * c.clone().tanh();
}
show(Tensor::cat(vec![c, h], 1));
