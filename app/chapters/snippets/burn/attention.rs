let (n, d, d_k) = ({{n}}, {{d}}, {{d_k}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let w = |start| numbers(d, d_k, start) / d_k as f32; // {{d}} × {{d_k}}
let q = x.clone().matmul(w(2)); // {{n}} × {{d_k}}
let k = x.clone().matmul(w(3));
let v = x.matmul(w(4));
let s = q.matmul(k.transpose()) / (d_k as f32).sqrt(); // {{n}} × {{n}}
let a = burn::tensor::activation::softmax(s, 1);
let z = a.matmul(v); // {{n}} × {{d_k}}
show(z.slice([n - 1..n]));
