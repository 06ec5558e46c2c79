fn show<const D: usize>(x: Tensor<D>) {
    let data = x.into_data();
    let line: Vec<String> = data.iter::<f32>().take(6).map(|x| format!("{x:.6}")).collect();
    println!("{}", line.join(" "));
}
