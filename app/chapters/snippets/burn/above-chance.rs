let n = {{n}};
let a = burn::tensor::activation::softmax(numbers(n, n, 1), 1); // {{n}} × {{n}}
let m = n - 1;
let weight: f32 = (1..n)
    .map(|i| a.clone().slice([i..i + 1, i - 1..i]).into_scalar::<f32>())
    .sum::<f32>()
    / m.max(1) as f32;
let chance = 1.0 / n as f32;
let above = (weight - chance) / (1.0 - chance).max(1e-9);
show(Tensor::<1>::from_data([weight, chance, above], &Device::default()));
