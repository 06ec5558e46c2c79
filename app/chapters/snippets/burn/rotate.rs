let (n, pairs) = ({{n}}, {{d_k}} / 2);
let q = numbers(n, 2 * pairs, 1); // {{n}} × {{d_k}}
let angle = |at: usize| (at / pairs) as f32 * 10000f32.powf(-((at % pairs) as f32) / pairs as f32);
let angles: Vec<f32> = (0..n * pairs).map(angle).collect();
let angles = Tensor::<2>::from_data(TensorData::new(angles, [n, pairs]), &Device::default());
let (cos, sin) = (angles.clone().cos(), angles.sin());
let first = q.clone().narrow(1, 0, pairs);
let second = q.narrow(1, pairs, pairs);
let turned = first.clone() * cos.clone() - second.clone() * sin.clone();
let q_r = Tensor::cat(vec![turned, second * cos + first * sin], 1); // {{n}} × {{d_k}}
show(q_r.slice([n - 1..n]));
