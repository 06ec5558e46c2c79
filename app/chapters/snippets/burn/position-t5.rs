let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (w_q, w_k) = (numbers(d, d_k, 2) / d as f32, numbers(d, d_k, 3)); // {{d}} × {{d_k}}
let bucket = |at: usize| ((at % n) as i64 - (at / n) as i64).clamp(-8, 7) + 8;
let bucket: Vec<i64> = (0..n * n).map(bucket).collect();
let bucket = Tensor::<1, Int>::from_data(bucket.as_slice(), &Device::default());
let bias = numbers(1, 16, 4).select(1, bucket).reshape([n, n]); // {{n}} × {{n}}
let (q, k) = (x.clone().matmul(w_q), x.matmul(w_k)); // {{n}} × {{d_k}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt() + bias; // {{n}} × {{n}}
show(s.slice([n - 1..n]));
