let (pairs, m, n) = ({{d_k}} / 2, {{n}}, {{n}} + 3);
let turned = |x: Tensor<2>, position: usize| {
    let angle = |i: usize| position as f32 * 10000f32.powf(-(i as f32) / pairs as f32);
    let angles: Vec<f32> = (0..pairs).map(angle).collect();
    let angles = Tensor::<2>::from_data(TensorData::new(angles, [1, pairs]), &Device::default());
    let (a, b) = (x.clone().narrow(1, 0, pairs), x.narrow(1, pairs, pairs));
    let (c, s) = (angles.clone().cos(), angles.sin());
    let first = a.clone() * c.clone() - b.clone() * s.clone();
    Tensor::cat(vec![first, b * c + a * s], 1)
};
let both = numbers(2, 2 * pairs, 1); // 2 × {{d_k}}
let (q, k) = (both.clone().slice([0..1]), both.slice([1..2]));
let root = ((2 * pairs) as f32).sqrt();
let absolute = (turned(q.clone(), m) * turned(k.clone(), n)).sum_dim(1) / root;
let relative = (q * turned(k, n - m)).sum_dim(1) / root;
show(Tensor::cat(vec![absolute, relative], 1));
