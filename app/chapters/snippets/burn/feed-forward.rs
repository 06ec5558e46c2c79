let (n, d, d_ff) = ({{n}}, {{d}}, 4 * {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (w_1, b_1) = (numbers(d, d_ff, 2) / d as f32, numbers(1, d_ff, 3)); // {{d}} × 4·{{d}}
let (w_2, b_2) = (numbers(d_ff, d, 4) / d as f32, numbers(1, d, 5)); // 4·{{d}} × {{d}}
let inner = burn::tensor::activation::relu(x.matmul(w_1) + b_1); // {{n}} × 4·{{d}}
show((inner.matmul(w_2) + b_2).slice([n - 1..n]));
