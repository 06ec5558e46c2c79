let (n, d_k, beta) = ({{n}}, {{d_k}}, 0.5);
let (keys, values) = (numbers(n, d_k, 1), numbers(n, d_k, 2)); // {{n}} × {{d_k}}
let keys = keys.clone() / (keys.clone() * keys).sum_dim(1).sqrt();
let mut state = keys.clone().transpose().matmul(values.clone()).zeros_like(); // {{d_k}} × {{d_k}}
for i in 0..n {
    let (k, v) = (keys.clone().slice([i..i + 1, 0..d_k]), values.clone().slice([i..i + 1, 0..d_k]));
    let difference = v - k.clone().matmul(state.clone());
    state = state + k.transpose().matmul(difference) * beta;
}
let last = keys.slice([n - 1..n, 0..d_k]);
show(last.matmul(state).slice([0..1, d_k.saturating_sub(6)..d_k]));
