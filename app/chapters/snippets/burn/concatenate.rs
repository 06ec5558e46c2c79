let (n, h, d_k) = ({{n}}, {{h}}, {{d_k}});
let z: Vec<Tensor<2>> = (0..h).map(|head| numbers(n, d_k, head)).collect();
let joined = Tensor::cat(z, 1); // {{n}} × ({{h}} · {{d_k}})
assert_eq!(joined.dims(), [n, h * d_k]);
let width = h * d_k;
show(joined.slice([n - 1..n, width.saturating_sub(6)..width]));
