//! The reason for `eˣ`: softmax beside other ways of turning scores into weights.

use attention_trace::lessons::{Normalisation, Normalised, Weighting};
use burn::prelude::*;
use burn::tensor::activation::{relu, softmax};

use super::{LessonError, not_too_large, softmax::jacobian_of, values, vector};

/// Computes the weights of every normalisation for the scores.
///
/// # Errors
/// If there are no scores, too many, or they are not finite.
pub fn normalise(scores: &[f32]) -> Result<Vec<Normalised>, LessonError> {
    let made = Normalisation::ALL.map(|normalisation| {
        Ok(Normalised {
            normalisation,
            weights: weighting(normalisation, scores)?,
        })
    });
    made.into_iter().collect()
}

fn weighting(rule: Normalisation, scores: &[f32]) -> Result<Option<Weighting>, LessonError> {
    let n = scores.len();
    not_too_large("the Jacobian", n.saturating_mul(n))?;
    let shifted: Vec<f32> = scores.iter().map(|score| score + 1.0).collect();
    let (Some(weights), after) = (weights(rule, scores)?, weights(rule, &shifted)?) else {
        return Ok(None);
    };
    let change = |after: Vec<f32>| {
        let changes = after.iter().zip(&weights).map(|(a, b)| (a - b).abs());
        changes.fold(0.0, f32::max)
    };
    let points = vector("the scores", scores)?.unsqueeze::<2>();
    let jacobian = jacobian_of(points, |scores| apply(rule, scores))?;
    Ok(Some(Weighting {
        keeps_order: keeps_order(scores, &weights),
        zeros: weights.iter().filter(|weight| **weight == 0.0).count(),
        lead: lead(&weights),
        shift_change: after.map(change),
        gradient_norm: values(jacobian.square().sum().sqrt())?[0],
        weights,
    }))
}

/// Computes the weights; `None` if they would be divided by 0.
fn weights(rule: Normalisation, scores: &[f32]) -> Result<Option<Vec<f32>>, LessonError> {
    let scores = vector("the scores", scores)?.unsqueeze::<3>();
    let weights = values(apply(rule, scores))?;
    let are_weights = weights.iter().all(|weight| weight.is_finite());
    Ok(are_weights.then_some(weights))
}

/// Weights along the last axis.
fn apply(rule: Normalisation, scores: Tensor<3>) -> Tensor<3> {
    let positive = match rule {
        // Its own function, which takes the largest score off first, so that no power overflows.
        Normalisation::Exponential => return softmax(scores, 2),
        Normalisation::Square => scores.square(),
        Normalisation::Shifted => scores.clone() - scores.min_dim(2),
        Normalisation::Rectified => relu(scores),
    };
    let sum = positive.clone().sum_dim(2);
    positive / sum
}

fn keeps_order(scores: &[f32], weights: &[f32]) -> bool {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    order
        .windows(2)
        .all(|pair| scores[pair[0]] == scores[pair[1]] || weights[pair[0]] <= weights[pair[1]])
}

fn lead(weights: &[f32]) -> Option<f32> {
    let mut order = weights.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    match order[..] {
        [first, second, ..] if second > 0.0 && (first / second).is_finite() => Some(first / second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f32; 8] = [1.0, 2.0, 7.0, 12.0, 8.0, 5.0, 2.0, 1.0];

    fn made(scores: &[f32]) -> [Option<Weighting>; 4] {
        let made = normalise(scores).unwrap();
        let weights: Vec<_> = made.into_iter().map(|made| made.weights).collect();
        weights.try_into().unwrap()
    }

    fn assert_close(found: f32, expected: f32) {
        assert!(
            (found - expected).abs() < 1e-4 * expected.abs().max(1.0),
            "{found} for {expected}"
        );
    }

    #[test]
    fn on_the_lectures_row_each_is_its_formula() {
        let [exponential, square, shifted, rectified] = made(&SCORES).map(Option::unwrap);
        // 12 leads 8 by a ratio of 1.5; e^x makes e⁴ of the difference, squares 2.25 of the ratio.
        assert_close(exponential.lead.unwrap(), 4f32.exp());
        assert_close(square.lead.unwrap(), 2.25);
        assert_close(shifted.lead.unwrap(), 11.0 / 7.0);
        assert_close(rectified.lead.unwrap(), 1.5);
        assert_close(square.weights[3], 144.0 / 292.0);
        assert_close(shifted.weights[3], 11.0 / 30.0);
        assert_close(rectified.weights[3], 12.0 / 38.0);
        for weighting in [&exponential, &square, &shifted, &rectified] {
            assert_close(weighting.weights.iter().sum(), 1.0);
            assert!(weighting.keeps_order);
        }
        // The smallest score, twice, weighs nothing when it is subtracted.
        assert_eq!(
            [
                exponential.zeros,
                square.zeros,
                shifted.zeros,
                rectified.zeros
            ],
            [0, 0, 2, 0]
        );
    }

    #[test]
    fn adding_a_constant_changes_nothing_for_softmax() {
        let [exponential, square, shifted, rectified] = made(&SCORES).map(Option::unwrap);
        assert!(exponential.shift_change.unwrap() < 1e-6);
        assert!(shifted.shift_change.unwrap() < 1e-6);
        // 12/38 becomes 13/46 and 144/292 becomes 169/376.
        assert_close(rectified.shift_change.unwrap(), 12.0 / 38.0 - 13.0 / 46.0);
        assert_close(square.shift_change.unwrap(), 144.0 / 292.0 - 169.0 / 376.0);
    }

    #[test]
    fn negative_scores_break_squares_and_silence_rectified_keys() {
        let [exponential, square, _, rectified] = made(&[-3.0, 0.5, 1.0]).map(Option::unwrap);
        assert!(exponential.keeps_order && !square.keeps_order && rectified.keeps_order);
        assert_eq!((exponential.zeros, rectified.zeros), (0, 1));
    }

    #[test]
    fn where_everything_is_zero_only_softmax_has_weights() {
        let [exponential, square, shifted, rectified] = made(&[0.0, 0.0]);
        assert_eq!(exponential.unwrap().weights, [0.5, 0.5]);
        assert_eq!((square, shifted, rectified), (None, None, None));
    }

    #[test]
    fn the_gradient_of_a_ratio_is_its_formula() {
        // ∂(s_i/Σs)/∂s_j = (δ_ij − w_i)/Σ.
        let [.., rectified] = made(&[1.0, 3.0]).map(Option::unwrap);
        let squares: f32 = [0.75f32, -0.25, -0.75, 0.25]
            .iter()
            .map(|x| (x / 4.0).powi(2))
            .sum();
        assert_close(rectified.gradient_norm, squares.sqrt());
    }
}
