//! Whether a device computes what it should: a small known forward pass, compared.

use attention_trace::{Quantities, Quantity, Token};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::pass::Pass;

/// Tokens that every vocabulary has.
const KNOWN_TOKENS: [u32; 6] = [5, 9, 3, 12, 7, 1];

/// The largest absolute difference between two devices that still counts as agreement, on
/// attention weights in [0, 1].
pub const TOLERANCE: f32 = 1e-3;

/// The attention weights of a short fixed input, one after another.
///
/// # Errors
/// If the device fails.
pub async fn known_weights(
    checkpoint: &Checkpoint,
    device: &Device,
) -> Result<Vec<f32>, ModelError> {
    let tokens: Vec<Token> = KNOWN_TOKENS
        .iter()
        .map(|&id| Token {
            id,
            text: String::new(),
            unknown: false,
        })
        .collect();
    let mut pass = Pass::recording(Quantities::of(&[Quantity::Weights]));
    let logits = checkpoint.forward(&tokens, &tokens, device, &mut pass);
    let (arrays, also) = pass.read(vec![logits.flatten(0, 1)]).await?;
    let weights: Vec<f32> = arrays.into_values().flat_map(|array| array.data).collect();
    if also.iter().flatten().any(|logit| !logit.is_finite()) {
        return Ok(vec![f32::NAN; weights.len()]);
    }
    Ok(weights)
}

/// How far `weights` are from being attention weights at all: rows of [`known_weights`] sum to one.
pub fn row_sum_error(weights: &[f32]) -> f32 {
    weights
        .chunks(KNOWN_TOKENS.len())
        .map(|row| (row.iter().sum::<f32>() - 1.0).abs())
        .fold(0.0, worst)
}

/// The largest absolute difference; infinite where one has no counterpart or is not a number.
pub fn largest_difference(left: &[f32], right: &[f32]) -> f32 {
    if left.len() != right.len() {
        return f32::INFINITY;
    }
    left.iter()
        .zip(right)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, worst)
}

/// `f32::max` that does not overlook NaN.
fn worst(a: f32, b: f32) -> f32 {
    if b.is_nan() { f32::INFINITY } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_and_nan_is_the_largest() {
        assert_eq!(largest_difference(&[0.5, 1.0], &[0.25, 1.0]), 0.25);
        assert_eq!(largest_difference(&[0.5], &[f32::NAN]), f32::INFINITY);
        assert_eq!(largest_difference(&[0.5], &[]), f32::INFINITY);
    }

    #[test]
    fn rows_that_do_not_sum_to_one_are_found() {
        assert!(row_sum_error(&[1.0 / 6.0; 12]) < 1e-6);
        assert_eq!(row_sum_error(&[0.0; 6]), 1.0);
    }
}
