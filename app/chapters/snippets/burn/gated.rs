let (n, d, d_ff) = ({{n}}, {{d}}, 4 * {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let (w_g, w_u) = (numbers(d, d_ff, 2), numbers(d, d_ff, 3)); // {{d}} × 4·{{d}}
let w_d = numbers(d_ff, d, 4) / d_ff as f32; // 4·{{d}} × {{d}}
let gelu = burn::tensor::activation::gelu_approximate(x.clone().matmul(w_g));
let inner = gelu * x.matmul(w_u); // {{n}} × 4·{{d}}
show(inner.matmul(w_d).slice([n - 1..n]));
