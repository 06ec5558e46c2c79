let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (u, w_o) = (numbers(d, d, 2) / d as f32, numbers(d, 50, 3)); // {{d}} × {{d}}, {{d}} × 50
let mut h = x.clone().slice([0..1]).zeros_like(); // 1 × {{d}}
for t in 0..n - 1 {
    h = (x.clone().slice([t..t + 1]) + h.matmul(u.clone())).tanh();
}
show(burn::tensor::activation::softmax(h.matmul(w_o), 1)); // 1 × 50
