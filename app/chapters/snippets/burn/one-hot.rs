let (n, d, i) = ({{n}}, {{d}}, {{n}} - 1);
let device = Device::default();
let x = numbers(d, 1, 1); // {{d}} × 1
let p = Tensor::<2>::eye(n, &device).slice([0..n, i..i + 1]); // {{n}} × 1
let (w_i, w_p) = (numbers(d, d, 2) / d as f32, numbers(d, n, 3)); // {{d}} × {{d}}, {{d}} × {{n}}
let w = Tensor::cat(vec![w_i.clone(), w_p.clone()], 1);
let joined = w.matmul(Tensor::cat(vec![x.clone(), p], 0));
let added = w_i.matmul(x) + w_p.slice([0..d, i..i + 1]);
assert!(joined.clone().all_close(added, None, Some(1e-5)));
show(joined);
