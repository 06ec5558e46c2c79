let (n, d_k, block) = ({{n}}, {{d_k}}, 2_usize);
let plain = 4 * n * d_k + 4 * n * n;
let blocked = 2 * n * d_k + 2 * n * d_k * usize::div_ceil(n, block);
let bytes = [plain, blocked].map(|count| count as f32);
show(Tensor::<1>::from_data(bytes, &Device::default()));
