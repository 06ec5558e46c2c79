let (n, d) = ({{n}}, {{d}});
let h = numbers(n, d, 1); // {{n}} × {{d}}
let s = numbers(1, d, 2); // 1 × {{d}}
let e = s.matmul(h.clone().transpose()); // 1 × {{n}}
let alpha = e.clone().exp() / e.exp().sum_dim(1);
show(alpha.matmul(h)); // 1 × {{d}}
