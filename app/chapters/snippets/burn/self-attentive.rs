let (n, d, d_a, r) = ({{n}}, {{d}}, 8, {{h}});
let h = numbers(n, d, 1); // {{n}} × {{d}}
let (w_1, w_2) = (numbers(d_a, d, 2), numbers(r, d_a, 3)); // 8 × {{d}}, {{h}} × 8
let s = w_2.matmul(w_1.matmul(h.clone().transpose()).tanh()); // {{h}} × {{n}}
let a = burn::tensor::activation::softmax(s, 1);
show(a.matmul(h).slice([r - 1..r])); // {{h}} × {{d}}
