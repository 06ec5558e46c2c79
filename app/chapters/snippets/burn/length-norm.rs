let (length, alpha) = ({{n}}, 0.7);
let log_p = burn::tensor::activation::log_softmax(numbers(length, 50, 1), 1); // {{n}} × 50
let sum = log_p.slice([0..length, 0..1]).sum();
let score = sum.clone() / (length as f32).powf(alpha);
show(Tensor::cat(vec![sum, score], 0));
