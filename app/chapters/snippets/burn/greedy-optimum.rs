let device = Device::default();
let first = Tensor::<2>::from_data([[0.5], [0.4], [0.1]], &device); // 3 × 1
let second = [[0.4, 0.3, 0.3], [0.9, 0.05, 0.05], [0.3, 0.3, 0.4]];
let second = Tensor::<2>::from_data(second, &device); // 3 × 3
let best = first.clone().argmax(0).reshape([1]); // 1
let greedy = first.clone().max() * second.clone().select(0, best).max();
let optimum = (first * second).max(); // 3 × 3
show(Tensor::cat(vec![greedy, optimum], 0));
