let device = Device::default();
let c_x = Tensor::<2>::from_data([[3.0, 1.0, 0.0, 2.0]], &device); // 1 × 4
let c_s = [[2.0, 1.0, 1.0, 0.0], [1.0, 2.0, 0.0, 1.0]];
let c_s = Tensor::<2>::from_data(c_s, &device); // 2 × 4
let matched = c_x.repeat_dim(0, 2).min_pair(c_s.clone()); // 2 × 4
show(matched.sum() / c_s.sum());
