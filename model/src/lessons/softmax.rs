//! Softmax at several scales of its scores: its sharpness, and the size of its gradient.

use attention_trace::{Array, lessons::Softmax};
use burn::prelude::*;
use burn::tensor::activation::{log_softmax, softmax};

use super::{LessonError, array, fits, not_too_large, values, vector};

/// Computes `softmax(scale · s)` for each of the scales, with its entropy and the size of its gradient.
///
/// # Errors
/// If there are no scores or scales, too many, or they are not finite.
pub fn softmax_at(scores: &[f32], scales: &[f32]) -> Result<Vec<Softmax>, LessonError> {
    let (count, n) = (scales.len(), scores.len());
    let scaled = scaled(scores, scales)?;
    let weights = softmax(scaled.clone(), 1);
    // The logarithm of a weight is finite where the weight itself is rounded to 0.
    let bits = log_softmax(scaled.clone(), 1) / std::f32::consts::LN_2;
    let entropy = (weights.clone() * bits).sum_dim(1).neg();
    let jacobian = jacobian_of(scaled, |z| softmax(z, 2))?;
    let norm = jacobian.square().sum_dim(2).sum_dim(1).sqrt();

    let (weights, entropy, norm) = (values(weights)?, values(entropy)?, values(norm)?);
    let at = |index: usize| Softmax {
        scale: scales[index],
        weights: weights[index * n..(index + 1) * n].to_vec(),
        entropy_bits: entropy[index].max(0.0),
        gradient_norm: norm[index],
    };
    Ok((0..count).map(at).collect())
}

/// Computes the Jacobian `∂softmax(z)_i/∂z_j` at `z = scale · s`, `[n, n]`, by automatic differentiation.
///
/// # Errors
/// As [`softmax_at`].
pub fn jacobian(scores: &[f32], scale: f32) -> Result<Array, LessonError> {
    let n = scores.len();
    let jacobian = jacobian_of(scaled(scores, &[scale])?, |z| softmax(z, 2))?;
    array(jacobian.reshape([n, n]))
}

/// Multiplies every scale by every score, `[scales, n]`.
fn scaled(scores: &[f32], scales: &[f32]) -> Result<Tensor<2>, LessonError> {
    let n = scores.len();
    not_too_large(
        "the Jacobians",
        n.saturating_mul(n).saturating_mul(scales.len()),
    )?;
    let (scores, scales) = (vector("the scores", scores)?, vector("the scales", scales)?);
    let scaled = scales.unsqueeze_dim::<2>(1) * scores.unsqueeze_dim::<2>(0);
    let finite = scaled.clone().is_finite().all().into_scalar::<bool>();
    fits(finite, "the scaled scores", &scaled.dims(), "finite")?;
    Ok(scaled)
}

/// Computes the Jacobians of a function of rows at each row of `points`, `[rows, n]`, as `[rows, n, n]`. `function`
/// maps `[rows, n, n]` to the same shape and treats the vectors of the last axis alike.
///
/// A backward pass yields the gradient of one number. Each point is therefore repeated `n` times, and output `i` is
/// taken from the `i`-th copy: copies do not affect each other, so that the gradient of the sum of these outputs
/// contains every row of every Jacobian.
pub(super) fn jacobian_of(
    points: Tensor<2>,
    function: impl Fn(Tensor<3>) -> Tensor<3>,
) -> Result<Tensor<3>, LessonError> {
    let [rows, n] = points.dims();
    let points = points.autodiff();
    let taken = Tensor::<2>::eye(n, &points.device()).unsqueeze::<3>();
    let copies = points
        .unsqueeze_dim::<3>(1)
        .expand([rows, n, n])
        .detach()
        .require_grad();
    let mut gradients = (function(copies.clone()) * taken).sum().backward();
    copies
        .grad_remove(&mut gradients)
        .ok_or_else(|| LessonError::Device("no gradient".to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lecture's row of scores.
    const SCORES: [f32; 8] = [1.0, 2.0, 7.0, 12.0, 8.0, 5.0, 2.0, 1.0];

    /// Softmax by its definition, in twice the precision.
    fn defined(scores: &[f32], scale: f32) -> Vec<f64> {
        let powers = scores
            .iter()
            .map(|s| (f64::from(scale) * f64::from(*s)).exp());
        let powers: Vec<f64> = powers.collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|power| power / sum).collect()
    }

    fn entropy_bits(weights: &[f64]) -> f64 {
        weights.iter().map(|p| -p * p.log2()).sum()
    }

    /// Computes the derivative of softmax, `p_i(δ_ij − p_j)`.
    fn derivative(weights: &[f64], i: usize, j: usize) -> f64 {
        weights[i] * (f64::from(u8::from(i == j)) - weights[j])
    }

    fn close(found: f32, expected: f64) -> bool {
        (f64::from(found) - expected).abs() < 1e-5
    }

    #[test]
    fn thinking_machines_scores_become_0_88_and_0_12() {
        let [made] = softmax_at(&[112.0, 96.0], &[1.0 / 8.0])
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!(
            format!("{:.2} {:.2}", made.weights[0], made.weights[1]),
            "0.88 0.12"
        );
    }

    #[test]
    fn the_lectures_row_with_and_without_scaling() {
        let scales = [1.0, 1.0 / 8f32.sqrt()];
        let made = softmax_at(&SCORES, &scales).unwrap();
        // Without scaling, one key has almost everything; divided by √8, five keys have their say.
        assert_eq!(format!("{:.4}", made[0].weights[3]), "0.9746");
        assert_eq!(format!("{:.4}", made[1].weights[3]), "0.6261");
        for (made, scale) in made.iter().zip(scales) {
            let expected = defined(&SCORES, scale);
            for (found, expected) in made.weights.iter().zip(&expected) {
                assert!(close(*found, *expected), "{found} for {expected}");
            }
            assert!(close(made.entropy_bits, entropy_bits(&expected)));
        }
        assert!(5.0 * made[0].gradient_norm < made[1].gradient_norm);
    }

    #[test]
    fn equal_scores_have_the_largest_entropy_and_a_known_gradient() {
        let [made] = softmax_at(&SCORES, &[0.0]).unwrap().try_into().unwrap();
        assert!(close(made.entropy_bits, 3.0));
        // ‖(I − 11ᵀ/n)/n‖ = √(n − 1)/n.
        assert!(close(made.gradient_norm, 7f64.sqrt() / 8.0));
    }

    #[test]
    fn a_saturated_softmax_passes_no_gradient_and_has_no_entropy() {
        let [made] = softmax_at(&SCORES, &[1000.0]).unwrap().try_into().unwrap();
        assert_eq!((made.entropy_bits, made.gradient_norm), (0.0, 0.0));
        assert_eq!(made.weights[3], 1.0);
    }

    #[test]
    fn what_has_no_softmax_is_refused() {
        assert!(softmax_at(&[], &[1.0]).is_err());
        assert!(softmax_at(&[1.0], &[]).is_err());
        assert!(softmax_at(&[f32::INFINITY, 1.0], &[1.0]).is_err());
        assert!(softmax_at(&[1e30], &[1e30]).is_err());
        assert!(jacobian(&[0.0; 4096], 1.0).is_err());
    }

    proptest! {
        #[test]
        fn the_derivative_needs_the_outputs_alone(
            scores in prop::collection::vec(-8.0f32..8.0, 1..9), scale in 0.0f32..2.0
        ) {
            let n = scores.len();
            let weights = defined(&scores, scale);
            let jacobian = jacobian(&scores, scale).unwrap();
            prop_assert_eq!(&jacobian.shape, &[n, n]);
            let mut squares = 0.0;
            for (place, found) in jacobian.data.iter().enumerate() {
                let expected = derivative(&weights, place / n, place % n);
                prop_assert!(close(*found, expected), "{} for {}", found, expected);
                squares += expected * expected;
            }
            let made = softmax_at(&scores, &[scale]).unwrap();
            prop_assert!(close(made[0].gradient_norm, squares.sqrt()));
            prop_assert!(close(made[0].weights.iter().sum(), 1.0));
        }
    }
}
