//! Rows of attention with some weights set, computed before the softmax.
//!
//! With the weights `w_j` of some keys set, and `W` their sum, the other weights are `(1 − W)·softmax` over the rest.
//! The softmax gives that for the scores `s_j = log Σ_rest eˢ + log(w_j / (1 − W))`. The edit changes scores rather
//! than weights, since weights that a head has driven to 0 have lost their ratios.

use attention_trace::SetRow;
use burn::tensor::{Bool, Tensor};

use super::{replace, tensor};

/// Sets the scores `[batch, heads, rows, keys]`, whose rows begin at position `first`, so that `rows` get their
/// weights.
pub fn set<const D: usize>(x: Tensor<D>, rows: &[&SetRow], first: usize) -> Tensor<D> {
    let row_of = |at: &[usize]| {
        let is_meant = |row: &&&SetRow| row.head == at[1] && row.query == first + at[2];
        rows.iter().find(is_meant)
    };
    let x = with_rest(x, |at| {
        let row = row_of(at)?;
        let weight = row.weights.get(&at[3])?;
        (row.rest() > 0.0).then(|| (weight / row.rest()).ln())
    });
    replace(x, |at| {
        let row = row_of(at)?;
        let weight = row.weights.get(&at[3]).copied().unwrap_or(0.0);
        (row.rest() == 0.0).then(|| weight.ln())
    })
}

/// Returns the score of each index that `over_rest` names: `log Σ eˢ` of the other keys in its row, plus the number.
fn with_rest<const D: usize>(
    x: Tensor<D>,
    over_rest: impl Fn(&[usize]) -> Option<f32>,
) -> Tensor<D> {
    let is_other = tensor(&x, |at| f32::from(u8::from(over_rest(at).is_none())));
    let is_given: Tensor<D, Bool> = is_other.equal_elem(0.0);
    let others = x.clone().mask_fill(is_given.clone(), f32::NEG_INFINITY);
    let largest = others.clone().max_dim(D - 1);
    let sum = (others - largest.clone()).exp().sum_dim(D - 1);
    let given = tensor(&x, |at| over_rest(at).unwrap_or(0.0)) + (sum.log() + largest);
    x.mask_where(is_given, given)
}
