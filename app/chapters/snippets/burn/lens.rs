let (d, vocabulary) = ({{d}}, 50);
let x = numbers(1, d, 1); // 1 × {{d}}
let (w_u, b) = (numbers(d, vocabulary, 2), numbers(1, vocabulary, 3)); // {{d}} × 50
let centred = x.clone() - x.mean_dim(1);
let normed = centred.clone() / (centred.powi_scalar(2).mean_dim(1) + 1e-5).sqrt();
let logits = normed.matmul(w_u) / (d as f32).sqrt() + b; // 1 × 50
show(burn::tensor::activation::softmax(logits, 1));
