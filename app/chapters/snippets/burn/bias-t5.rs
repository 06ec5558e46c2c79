let (n, d_k, i) = ({{n}}, {{d_k}}, {{n}} - 1);
let (q, k, v) = (numbers(1, d_k, 1), numbers(n, d_k, 2), numbers(n, d_k, 3));
let b = numbers(1, 8, 4); // 1 × 8
let bucket: Vec<i64> = (0..n).map(|j| j.abs_diff(i).min(7) as i64).collect();
let bucket = Tensor::<1, Int>::from_data(bucket.as_slice(), &Device::default());
let bias = b.select(1, bucket); // 1 × {{n}}
let a = burn::tensor::activation::softmax(q.matmul(k.transpose()) + bias, 1);
show(a.matmul(v)); // 1 × {{d_k}}
