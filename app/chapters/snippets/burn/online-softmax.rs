let (n, d_k, block) = ({{n}}, {{d_k}}, 2);
let (s, v) = (numbers(1, n, 1), numbers(n, d_k, 2)); // 1 × {{n}}, {{n}} × {{d_k}}
let first = s.clone().slice([0..1, 0..1]);
let (mut m, mut l, mut o) = (first.clone(), first.zeros_like(), v.clone().slice([0..1, 0..d_k]).zeros_like());
for i in (0..n).step_by(block) {
    let end = (i + block).min(n);
    let part = s.clone().slice([0..1, i..end]);
    let new = m.clone().max_pair(part.clone().max_dim(1));
    let (factor, p) = ((m - new.clone()).exp(), (part - new.clone()).exp());
    l = factor.clone() * l + p.clone().sum_dim(1);
    o = factor * o + p.matmul(v.clone().slice([i..end, 0..d_k]));
    m = new;
}
show((o / l).slice([0..1, d_k.saturating_sub(6)..d_k]));
