let (n, d_k, lambda) = ({{n}}, {{d_k}}, 0.8);
let weights = |seed| {
    let (q, k) = (numbers(1, d_k, seed), numbers(n, d_k, seed + 1)); // 1 × {{d_k}}, {{n}} × {{d_k}}
    burn::tensor::activation::softmax(q.matmul(k.transpose()) / (d_k as f64).sqrt(), 1)
};
show((weights(1) - weights(3) * lambda).slice([0..1, n.saturating_sub(6)..n]));
