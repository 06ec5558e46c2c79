let n = {{n}};
let s = numbers(1, n, 1) * 4.0; // 1 × {{n}}
let e = (s.clone() - s.max_dim(1)).exp();
let a = e.clone() / e.sum_dim(1);
show(a);
