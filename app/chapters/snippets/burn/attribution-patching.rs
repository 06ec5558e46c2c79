let (n, d) = ({{n}}, {{d}});
let (clean, other) = (numbers(n, d, 1), numbers(n, d, 2)); // {{n}} × {{d}}
let (w, u) = (numbers(d, d, 3) / d as f32, numbers(1, d, 4)); // {{d}} × {{d}}, 1 × {{d}}
let hidden = |a: &Tensor<2>| a.clone().matmul(w.clone()).tanh(); // {{n}} × {{d}}
let delta = |a: &Tensor<2>| hidden(a).matmul(u.clone().transpose()); // {{n}} × 1
let flat = -hidden(&other).powi_scalar(2) + 1.0; // the derivative of tanh
let slope = (flat * u.clone()).matmul(w.clone().transpose()); // {{n}} × {{d}}, by the chain rule
let estimate = ((clean.clone() - other.clone()) * slope).sum_dim(1); // from one gradient for all positions
let patched = delta(&clean) - delta(&other); // a run for each position
let ends = |x: Tensor<2>| Tensor::cat(vec![x.clone().slice([0..1]), x.slice([n - 1..n])], 1);
show(Tensor::cat(vec![ends(estimate), ends(patched)], 1));
