let (n, d) = ({{n}}, {{d}});
let f = |x: Tensor<2>| {
    let s = x.clone().matmul(x.clone().transpose()) / (d as f32).sqrt();
    burn::tensor::activation::softmax(s, 1).matmul(x) // {{n}} × {{d}}
};
let x = numbers(n, d, 1); // {{n}} × {{d}}
let permuted = |x: Tensor<2>| {
    Tensor::cat(vec![x.clone().slice([n - 1..n]), x.slice([0..n - 1])], 0)
};
let f_of_permuted = f(permuted(x.clone()));
assert!(f_of_permuted.clone().all_close(permuted(f(x)), None, Some(1e-5)));
show(f_of_permuted.slice([n - 1..n]));
