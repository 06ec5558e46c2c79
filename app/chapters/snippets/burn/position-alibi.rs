let (n, d, d_k, slope) = ({{n}}, {{d}}, {{d_k}}, 0.5);
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (w_q, w_k) = (numbers(d, d_k, 2) / d as f32, numbers(d, d_k, 3)); // {{d}} × {{d_k}}
let (q, k) = (x.clone().matmul(w_q), x.matmul(w_k)); // {{n}} × {{d_k}}
let place = Tensor::<1, Int>::arange(0..n as i64, &Device::default()).float();
let distance = place.clone().reshape([n, 1]) - place.reshape([1, n]); // {{n}} × {{n}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt() - distance * slope;
show(s.slice([n - 1..n]));
