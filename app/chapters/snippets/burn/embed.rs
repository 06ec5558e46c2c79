let (n, d) = ({{n}}, {{d}});
let table = numbers(50, d, 1); // 50 × {{d}}
let ids: Vec<i64> = (0..n as i64).map(|i| i * 7 % 50).collect();
let ids = Tensor::<1, Int>::from_data(ids.as_slice(), &Device::default()); // {{n}}
let p = numbers(n, d, 2); // {{n}} × {{d}}
let x = table.select(0, ids) + p; // {{n}} × {{d}}
show(x.slice([n - 1..n]));
