//! Edits of every row of a head's attention.

use burn::tensor::{Int, Tensor, TensorData};

use super::tensor;

/// A threshold below all scores of a model; masked scores are −∞.
const LOWEST_SCORE: f32 = -1e30;

/// Returns scores `[batch, heads, rows, keys]` with 0 for all keys that the head, or every head, sees: its weights are
/// then uniform.
pub fn uniform<const D: usize>(x: Tensor<D>, head: Option<usize>) -> Tensor<D> {
    let is_meant = tensor(&x, |at| {
        let is_meant = head.is_none_or(|head| at[1] == head);
        f32::from(u8::from(is_meant))
    });
    let is_meant = is_meant.equal_elem(1.0);
    let is_seen = x.clone().greater_elem(LOWEST_SCORE);
    x.mask_fill(is_meant.bool_and(is_seen), 0.0)
}

/// Returns scores `[batch, heads, rows, keys]` with −∞ where `is_hidden` of a row and a key is true.
pub fn hidden<const D: usize>(x: Tensor<D>, is_hidden: impl Fn(usize, usize) -> bool) -> Tensor<D> {
    let is_hidden = tensor(&x, |at| {
        f32::from(u8::from(is_hidden(at[D - 2], at[D - 1])))
    });
    x.mask_fill(is_hidden.equal_elem(1.0), f32::NEG_INFINITY)
}

/// Returns keys or values `[batch, heads, rows, width]` with the mean of each of `groups` groups of heads in the place of
/// the heads' own. `groups` divides the number of heads.
pub fn averaged<const D: usize>(x: Tensor<D>, groups: usize) -> Tensor<D> {
    let dims = x.dims();
    let [batch, heads, rows, width] = dims[..] else {
        unreachable!("keys and values of heads have four axes");
    };
    let grouped = [batch, groups, heads / groups, rows, width];
    let means = x.reshape(grouped).mean_dim(2);
    means.expand(grouped).reshape(dims)
}

/// Returns weights `[batch, heads, rows, keys]` in the order that `order` gives for a head and the number of keys in a
/// row; it may list the first keys alone.
pub fn shuffled<const D: usize>(
    x: Tensor<D>,
    head: Option<usize>,
    order: impl Fn(usize, usize, usize) -> Vec<usize>,
) -> Tensor<D> {
    let dims = x.dims();
    let [batch, heads, rows, keys] = dims[..] else {
        unreachable!("attention weights have four axes");
    };
    let mut indices: Vec<i32> = Vec::with_capacity(batch * heads * rows * keys);
    for _ in 0..batch {
        for at in 0..heads {
            for row in 0..rows {
                let first = match head.is_none_or(|head| head == at) {
                    true => order(at, row, keys),
                    false => vec![],
                };
                let rest = first.len()..keys;
                indices.extend(first.into_iter().chain(rest).map(|key| key as i32));
            }
        }
    }
    let indices: Tensor<D, Int> = Tensor::from_data(TensorData::new(indices, dims), &x.device());
    x.gather(D - 1, indices)
}
