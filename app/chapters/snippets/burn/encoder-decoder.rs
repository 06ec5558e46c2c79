let (n, d, vocabulary) = ({{n}}, {{d}}, 50);
let (e_x, e_y) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let (u_enc, u_dec) = (numbers(d, d, 3) / d as f32, numbers(d, d, 4) / d as f32);
let w_o = numbers(d, vocabulary, 5); // {{d}} × 50
let read = |e: Tensor<2>, u: Tensor<2>, mut h: Tensor<2>| {
    for t in 0..n {
        h = (e.clone().slice([t..t + 1]) + h.matmul(u.clone())).tanh();
    }
    h
};
let zero = e_x.clone().slice([0..1]).zeros_like();
let u = read(e_x, u_enc, zero); // 1 × {{d}}
let h = read(e_y, u_dec, u);
show(burn::tensor::activation::softmax(h.matmul(w_o), 1)); // 1 × 50
