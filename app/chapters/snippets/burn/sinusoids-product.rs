let (d, p, k) = ({{d}}, {{n}} as f32, 3.0);
let frequency = |i: usize| 10000f32.powf(-(2.0 * i as f32) / d as f32);
let frequency: Vec<f32> = (0..d / 2).map(frequency).collect();
let frequency = Tensor::<1>::from_data(frequency.as_slice(), &Device::default()); // {{d}}/2
let (first, second) = (frequency.clone() * p, frequency.clone() * (p + k));
let sines = first.clone().sin() * second.clone().sin();
let product = (sines + first.cos() * second.cos()).sum();
show(Tensor::cat(vec![product, (frequency * k).cos().sum()], 0));
