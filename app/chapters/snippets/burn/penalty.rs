let (n, r) = ({{n}}, {{h}});
let a = burn::tensor::activation::softmax(numbers(r, n, 1) * 4.0, 1); // {{h}} × {{n}}
let far = a.clone().matmul(a.transpose()) - Tensor::<2>::eye(r, &Device::default());
show(far.powi_scalar(2).sum());
