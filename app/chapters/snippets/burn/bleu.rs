let p = Tensor::<1>::from_data([0.8, 0.6, 0.4, 0.3], &Device::default()); // 4
let alpha = 0.25;
let (l_x, l_s) = (6.0f32, 7.0);
let b = if l_x <= l_s { (1.0 - l_s / l_x).exp() } else { 1.0 };
let bleu = (p.clone().log() * alpha).sum().exp() * b;
let product = p.powf_scalar(alpha).prod() * b;
let b = Tensor::<1>::from_data([b], &Device::default());
show(Tensor::cat(vec![b, bleu, product], 0));
