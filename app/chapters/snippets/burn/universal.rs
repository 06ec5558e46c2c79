let (n, d, passes) = ({{n}}, {{d}}, 4);
let (mut h, w) = (numbers(n, d, 1), numbers(d, d, 2) / d as f32); // {{n}} × {{d}}, {{d}} × {{d}}
for t in 1..=passes {
    let x = h + numbers(n, d, t + 2); // {{n}} × {{d}}
    let s = x.clone().matmul(x.clone().transpose()) / (d as f32).sqrt(); // {{n}} × {{n}}
    let a = burn::tensor::activation::softmax(s, 1);
    h = (a.matmul(x.clone()).matmul(w.clone()) + x).tanh();
}
show(h.slice([n - 1..n]));
