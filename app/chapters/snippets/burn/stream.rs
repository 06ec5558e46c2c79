let (n, d) = ({{n}}, {{d}});
let (x, w) = (numbers(n, d, 1), numbers(d, d, 2) / d as f32); // {{n}} × {{d}}, {{d}} × {{d}}
let f = |x: Tensor<2>| x.matmul(w.clone());
let norm = |x: Tensor<2>| {
    let centred = x.clone() - x.mean_dim(1);
    let variance = centred.clone().powi_scalar(2).mean_dim(1);
    centred / (variance + 1e-5).sqrt()
};
let post = norm(x.clone() + f(x.clone())); // {{n}} × {{d}}
let pre = x.clone() + f(norm(x));
let last = |x: Tensor<2>| x.slice([n - 1..n, 0..3]);
show(Tensor::cat(vec![last(post), last(pre)], 1));
