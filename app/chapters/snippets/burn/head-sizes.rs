let (n, d, h, p_k) = ({{n}}, {{d}}, {{h}}, {{d_k}});
let p_v = 2 * p_k;
let x = numbers(n, d, 1); // {{n}} × {{d}}
let head = |i: usize| {
    let q = x.clone().matmul(numbers(d, p_k, 3 * i + 2) / d as f32); // {{n}} × {{d_k}}
    let k = x.clone().matmul(numbers(d, p_k, 3 * i + 3));
    let v = x.clone().matmul(numbers(d, p_v, 3 * i + 4) / d as f32); // {{n}} × 2·{{d_k}}
    let s = q.matmul(k.transpose()) / (p_k as f32).sqrt();
    burn::tensor::activation::softmax(s, 1).matmul(v)
};
let o = Tensor::cat((0..h).map(head).collect(), 1); // {{n}} × ({{h}} · 2·{{d_k}})
show(o.matmul(numbers(h * p_v, d, 5)).slice([n - 1..n]));
