let (n, d, pairs, distance) = ({{n}}, {{d}}, {{d_k}} / 2, 3.0);
let d_k = 2 * pairs;
let turned = |x: Tensor<2>| {
    let angle = |i: usize| distance * 10000f32.powf(-(i as f32) / pairs as f32);
    let angles: Vec<f32> = (0..pairs).map(angle).collect();
    let angles = Tensor::<2>::from_data(TensorData::new(angles, [1, pairs]), &Device::default());
    let (a, b) = (x.clone().narrow(1, 0, pairs), x.narrow(1, pairs, pairs));
    let (c, s) = (angles.clone().cos(), angles.sin());
    let first = a.clone() * c.clone() - b.clone() * s.clone();
    Tensor::cat(vec![first, b * c + a * s], 1)
};
let e = numbers(n, d, 1); // {{n}} tokens × {{d}}
let x = e.clone() / e.powi_scalar(2).mean_dim(1).sqrt();
let [w_q, w_k, w_v, w_v1] = [2, 3, 4, 5].map(|i| numbers(d, d_k, i)); // {{d}} × {{d_k}}
let [w_o, w_o1] = [6, 7].map(|i| numbers(d_k, d, i)); // {{d_k}} × {{d}}
let w_u = numbers(d, n, 8); // {{d}} × {{n}} tokens
let keys = x.clone().matmul(w_v1).matmul(w_o1).matmul(w_k);
let qk = turned(x.clone().matmul(w_q)).matmul(keys.transpose()) / (d_k as f32).sqrt(); // {{n}} × {{n}}
let ov = x.matmul(w_v).matmul(w_o).matmul(w_u); // {{n}} × {{n}}
let corners = |m: &Tensor<2>| {
    [(0, 0), (n - 1, 0), (n - 1, n - 1)].map(|(i, j)| m.clone().slice([i..i + 1, j..j + 1]))
};
show(Tensor::cat([corners(&qk), corners(&ov)].concat(), 1));
