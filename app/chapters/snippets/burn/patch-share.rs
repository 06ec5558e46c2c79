let z = [[4.2, 1.1], [0.7, 3.9], [2.9, 1.8]]; // clean, other, patched
let z = Tensor::<2>::from_data(z, &Device::default()); // 3 × 2
let delta = z.clone().slice([0..3, 0..1]) - z.slice([0..3, 1..2]); // 3 × 1
let at = |i: usize| delta.clone().slice([i..i + 1]);
show((at(2) - at(1)) / (at(0) - at(1)));
