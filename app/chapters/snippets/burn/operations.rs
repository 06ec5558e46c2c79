let (n, d, attentions) = ({{n}}, {{d}}, 6);
let parameters = attentions * (4 * d * d + 8 * d * d);
let operations = [2 * n * parameters, 4 * n * n * d * attentions].map(|count| count as f32);
let operations = Tensor::<1>::from_data(operations, &Device::default()); // 2
show(operations.clone() / operations.sum());
