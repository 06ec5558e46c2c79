let (n, d_k, i, slope) = ({{n}}, {{d_k}}, {{n}} - 1, 0.5);
let (q, k, v) = (numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3));
let far: Vec<f32> = (0..n).map(|j| j.abs_diff(i) as f32).collect();
let far = Tensor::<2>::from_data(TensorData::new(far, [1, n]), &Device::default());
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt() - far * slope; // 1 × {{n}}
show(burn::tensor::activation::softmax(s, 1).matmul(v));
