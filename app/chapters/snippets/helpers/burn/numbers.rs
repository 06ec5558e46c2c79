fn numbers(rows: usize, columns: usize, start: usize) -> Tensor<2> {
    let number = |i: usize| ((i * i + start * i) % 101) as f32 / 100.0 - 0.5;
    let data: Vec<f32> = (0..rows * columns).map(number).collect();
    Tensor::from_data(TensorData::new(data, [rows, columns]), &Device::default())
}
