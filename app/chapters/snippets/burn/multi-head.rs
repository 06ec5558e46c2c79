let (n, d, h, d_k) = ({{n}}, {{d}}, {{h}}, {{d_k}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let w_o = numbers(h * d_k, d, 2) / d as f32; // ({{h}} · {{d_k}}) × {{d}}
let head = |i: usize| {
    let projected = |start| x.clone().matmul(numbers(d, d_k, 3 * i + start) / d_k as f32);
    let s = projected(3).matmul(projected(4).transpose()) / (d_k as f32).sqrt();
    burn::tensor::activation::softmax(s, 1).matmul(projected(5)) // {{n}} × {{d_k}}
};
let z = Tensor::cat((0..h).map(head).collect(), 1); // {{n}} × ({{h}} · {{d_k}})
show(z.matmul(w_o).slice([n - 1..n])); // {{n}} × {{d}}
