let (n, d_k) = ({{n}}, {{d_k}});
let [q, k, v] = [1, 2, 3].map(|start| numbers(n, d_k, start)); // {{n}} × {{d_k}}
let later = Tensor::<2, Bool>::tril_mask([n, n], 0, &Device::default()); // {{n}} × {{n}}
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt();
let a = burn::tensor::activation::softmax(s.mask_fill(later, f32::NEG_INFINITY), 1);
show(a.matmul(v).slice([n / 2..n / 2 + 1]));
