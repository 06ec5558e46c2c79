let (n, window) = ({{n}}, 4.0);
let e = numbers(1, n, 1); // 1 × {{n}}
let (p, sigma) = ((n - 1) as f32 / 2.0, window / 2.0);
let j = Tensor::<1, Int>::arange(0..n as i64, &Device::default()).float();
let near = ((j - p).powi_scalar(2) / (-2.0 * sigma * sigma)).exp(); // {{n}}
show(burn::tensor::activation::softmax(e, 1) * near.reshape([1, n]));
