let (n, d_k) = ({{n}}, {{d_k}});
let [q, k, v] = [1, 2, 3].map(|start| numbers(n, d_k, start)); // {{n}} × {{d_k}}
let s = q.matmul(k.transpose()); // {{n}} × {{n}}
let a = burn::tensor::activation::softmax(s / (d_k as f32).sqrt(), 1);
let z = a.matmul(v); // {{n}} × {{d_k}}
show(z.slice([n - 1..n]));
