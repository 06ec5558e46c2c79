let (sentences, steps, vocabulary) = (2, {{n}}, 50);
let y: Vec<i64> = (0..steps as i64).map(|t| t * 7 % vocabulary as i64).collect();
let y = Tensor::<2, Int>::from_data(TensorData::new(y, [steps, 1]), &Device::default());
let loss = |sentence| {
    let logits = numbers(steps, vocabulary, sentence); // {{n}} × 50
    let p = burn::tensor::activation::log_softmax(logits, 1);
    p.gather(1, y.clone()).mean().neg()
};
let loss = Tensor::cat((0..sentences).map(loss).collect(), 0);
show(Tensor::cat(vec![loss.clone(), loss.sum() * -(steps as f32)], 0));
