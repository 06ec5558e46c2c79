let (n, h, d_k, d) = ({{n}}, {{h}}, {{d_k}}, {{d}});
let z = numbers(n, h * d_k, 1); // {{n}} × ({{h}} · {{d_k}})
let w_o = numbers(h * d_k, d, 2); // ({{h}} · {{d_k}}) × {{d}}
let o = z.matmul(w_o); // {{n}} × {{d}}
show(o.slice([n - 1..n]));
