let (n, d) = ({{n}}, {{d}});
let entry = |at: usize| {
    let (p, c) = (at / d, at % d);
    let angle = p as f32 / 10000f32.powf((c / 2 * 2) as f32 / d as f32);
    if c % 2 == 0 { angle.sin() } else { angle.cos() }
};
let table: Vec<f32> = (0..n * d).map(entry).collect();
let pe = Tensor::<2>::from_data(TensorData::new(table, [n, d]), &Device::default());
show(pe.slice([n - 1..n])); // {{n}} × {{d}}
