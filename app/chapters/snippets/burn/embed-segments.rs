let (n, d) = ({{n}}, {{d}});
let (e, p) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let segments = numbers(2, d, 3); // 2 × {{d}}
let ids: Vec<i64> = (0..n as i64).map(|i| i * 2 / n as i64).collect();
let ids = Tensor::<1, Int>::from_data(ids.as_slice(), &Device::default());
let x = e + segments.select(0, ids) + p; // {{n}} × {{d}}
let centred = x.clone() - x.mean_dim(1);
let variance = centred.clone().powi_scalar(2).mean_dim(1);
show((centred / (variance + 1e-5).sqrt()).slice([n - 1..n]));
