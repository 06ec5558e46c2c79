let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let s = x.clone().matmul(x.clone().transpose()) / (d as f32).sqrt(); // {{n}} × {{n}}
let a = burn::tensor::activation::softmax(s, 1);
let x = a.matmul(x); // {{n}} × {{d}}
show(x.slice([n - 1..n]));
