let (x, y, theta) = (0.8, 0.6, std::f32::consts::PI / 6.0);
let (cos, sin) = (theta.cos(), theta.sin());
let turn = Tensor::<2>::from_data([[cos, -sin], [sin, cos]], &Device::default());
let turned = turn.matmul(Tensor::<2>::from_data([[x], [y]], &Device::default()));
show(turned); // 2 × 1
