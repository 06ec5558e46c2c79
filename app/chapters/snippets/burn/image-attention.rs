let (n, d, gamma) = ({{n}}, {{d}}, 0.5);
let x = numbers(n, d, 1); // {{n}} × {{d}}
let [f, g, h] = [2, 3, 4].map(|start| x.clone().matmul(numbers(d, d, start) / d as f32));
let s = f.matmul(g.transpose()); // s_ij: {{n}} × {{n}}
let b = burn::tensor::activation::softmax(s, 0).transpose(); // beta_ji: {{n}} × {{n}}
let y = b.matmul(h) * gamma + x; // {{n}} × {{d}}
show(y.slice([n - 1..n]));
