let (d, b, s) = ({{d_k}} as f32, 10000f32, 4f32);
let i = Tensor::<1, Int>::arange(0..{{d_k}} / 2, &Device::default()).float();
let powers = |base: f32| (i.clone() * (-2.0 / d * base.ln())).exp(); // d / 2
let linear = powers(b) / s;
let ntk = powers(b * s.powf(d / (d - 2.0)));
let last = {{d_k}} / 2 - 1;
let ends = |x: Tensor<1>| [x.clone().slice([0..1]), x.slice([last..last + 1])];
show(Tensor::cat([ends(linear), ends(ntk)].concat(), 0));
