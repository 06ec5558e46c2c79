let matrix = |links: [[f32; 3]; 3]| Tensor::<2>::from_data(links, &Device::default());
let a = matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]); // 3 × 3
let s = matrix([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]);
let p = matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]);
let both = (a.clone() * s.clone()).sum() + (a.clone() * p).sum();
show((both / (a.sum() + s.sum())).neg() + 1.0);
