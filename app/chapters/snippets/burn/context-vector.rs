let (n, d) = ({{n}}, {{d}});
let x = numbers(n, d, 1); // {{n}} × {{d}}
let u = numbers(d, d, 2) / d as f32; // {{d}} × {{d}}
let (w, b) = (numbers(2 * d, d, 3) / d as f32, numbers(1, d, 4)); // 2·{{d}} × {{d}}
let token = |t: usize| x.clone().slice([t..t + 1]);
let mut forwards = token(0).zeros_like(); // 1 × {{d}}
let mut backwards = forwards.clone();
for t in 0..n {
    forwards = (token(t) + forwards.matmul(u.clone())).tanh();
    backwards = (token(n - 1 - t) + backwards.matmul(u.clone())).tanh();
}
let c = Tensor::cat(vec![forwards, backwards], 1); // 1 × 2·{{d}}
show((c.matmul(w) + b).tanh());
