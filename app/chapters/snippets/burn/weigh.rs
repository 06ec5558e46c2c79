let (n, d_k) = ({{n}}, {{d_k}});
let a = burn::tensor::activation::softmax(numbers(1, n, 1), 1); // 1 × {{n}}
let v = numbers(n, d_k, 2); // {{n}} × {{d_k}}
let weighted = a.transpose() * v; // {{n}} × {{d_k}}
show(weighted.slice([n - 1..n]));
