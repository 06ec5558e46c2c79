let (n, d_k, m) = ({{n}}, {{d_k}}, {{h}});
let queries = numbers(m, d_k, 1); // {{h}} × {{d_k}}
let (k, v) = (numbers(n, d_k, 2), numbers(n, d_k, 3)); // {{n}} × {{d_k}}
let read = |i: usize| {
    let q = queries.clone().slice([i..i + 1]);
    let s = q.matmul(k.clone().transpose()) / (d_k as f32).sqrt();
    burn::tensor::activation::softmax(s, 1).matmul(v.clone()) // 1 × {{d_k}}
};
let joined = Tensor::cat((0..m).map(read).collect(), 1); // 1 × ({{h}} · {{d_k}})
let width = m * d_k;
show(joined.slice([0..1, width.saturating_sub(6)..width]));
