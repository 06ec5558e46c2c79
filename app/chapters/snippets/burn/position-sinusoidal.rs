let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let (w_q, w_k) = (numbers(d, d_k, 2) / d as f32, numbers(d, d_k, 3)); // {{d}} × {{d_k}}
let entry = |at: usize| {
    let (p, c) = (at / d, at % d);
    let angle = p as f32 / 10000f32.powf((c / 2 * 2) as f32 / d as f32);
    if c % 2 == 0 { angle.sin() } else { angle.cos() }
};
let table: Vec<f32> = (0..n * d).map(entry).collect();
let pe = Tensor::<2>::from_data(TensorData::new(table, [n, d]), &Device::default());
let placed = numbers(n, d, 1) + pe; // {{n}} × {{d}}
let (q, k) = (placed.clone().matmul(w_q), placed.matmul(w_k)); // {{n}} × {{d_k}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt(); // {{n}} × {{n}}
show(s.slice([n - 1..n]));
