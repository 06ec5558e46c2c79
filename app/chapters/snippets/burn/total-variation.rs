let n = {{n}};
let a = burn::tensor::activation::softmax(numbers(2, n, 1) * 4.0, 1); // 2 × {{n}}
let (alpha, other) = (a.clone().slice([0..1]), a.slice([1..2]));
show((alpha - other).abs().sum() / 2.0);
