let (steps, vocabulary) = ({{n}}, 50);
let p = burn::tensor::activation::softmax(numbers(steps, vocabulary, 1), 1); // {{n}} × 50
let y: Vec<i64> = (0..steps as i64).map(|t| t * 7 % vocabulary as i64).collect();
let y = Tensor::<2, Int>::from_data(TensorData::new(y, [steps, 1]), &Device::default());
let log_2 = p.gather(1, y).log() / 2f32.ln(); // {{n}} × 1
show((log_2.mean().neg() * 2f32.ln()).exp());
