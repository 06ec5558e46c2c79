let (steps, vocabulary) = ({{n}}, 50);
let p_length = burn::tensor::activation::softmax(numbers(1, 2 * steps, 1), 1); // 1 × 2·{{n}}
let p = burn::tensor::activation::softmax(numbers(steps, vocabulary, 2), 1); // {{n}} × 50
let chosen = p.clone().argmax(1).float().reshape([steps]); // {{n}}
let length = p_length.slice([0..1, steps..steps + 1]).log().sum();
let log_p = length + p.max_dim(1).log().sum();
show(Tensor::cat(vec![log_p, chosen], 0));
