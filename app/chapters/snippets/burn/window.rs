let (n, d_k, w, s) = ({{n}}, {{d_k}}, 3, 1);
let [q, k, v] = [1, 2, 3].map(|start| numbers(n, d_k, start)); // {{n}} × {{d_k}}
let j = Tensor::<1, Int>::arange(0..n as i64, &Device::default()).reshape([1, n]).repeat_dim(0, n);
let back = j.clone().transpose() - j.clone(); // {{n}} × {{n}}
let far = back.clone().greater_equal_elem(w).bool_and(j.greater_equal_elem(s));
let hidden = far.bool_or(back.lower_elem(0));
let scores = q.matmul(k.transpose()) / (d_k as f32).sqrt();
let a = burn::tensor::activation::softmax(scores.mask_fill(hidden, f32::NEG_INFINITY), 1);
show(a.matmul(v).slice([n - 1..n]));
