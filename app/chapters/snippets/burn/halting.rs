let (d, p) = ({{d}}, [0.2f32, 0.3, 0.4, 0.3]);
let states = numbers(4, d, 1); // 4 × {{d}}
let (mut n, mut sum) = (1, p[0]);
while sum < 0.99 {
    sum += p[n];
    n += 1;
}
let rest = 1.0 - p[..n - 1].iter().sum::<f32>();
let weights = [&p[..n - 1], &[rest]].concat();
let weights = Tensor::<2>::from_data(TensorData::new(weights, [1, n]), &Device::default());
let s = weights.matmul(states.slice([0..n])); // 1 × {{d}}
let counted = Tensor::<2>::from_data([[n as f32, rest]], &Device::default());
show(Tensor::cat(vec![counted, s], 1));
