let (n, d) = ({{n}}, {{d}});
let (h, c) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let (x, last) = (numbers(1, d, 3), numbers(1, d, 4)); // 1 × {{d}}
let [w_h, w_x, w_s] = [5, 6, 7].map(|k| numbers(d, d, k));
let sum = h.clone().matmul(w_h) + x.clone().matmul(w_x) + last.matmul(w_s); // {{n}} × {{d}}
let s = burn::tensor::activation::softmax(numbers(1, d, 8).matmul(sum.tanh().transpose()), 1);
let (h_sum, c_sum) = (s.clone().matmul(h), s.clone().matmul(c)); // 1 × {{d}}
let gate = |k| (h_sum.clone().matmul(numbers(d, d, k)) + x.clone().matmul(numbers(d, d, k + 4))) / d as f32;
let open = |k| burn::tensor::activation::sigmoid(gate(k));
let c_t = open(10) * c_sum + open(9) * gate(12).tanh();
let h_t = open(11) * c_t.tanh(); // 1 × {{d}}
show(Tensor::cat(vec![s.slice([0..1, n - 1..n]), h_t.slice([0..1, 0..3])], 1));
