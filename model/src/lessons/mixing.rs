//! Ways of mixing the vectors of a sequence other than attention: a fully connected layer over positions, a
//! convolution, pooling.

use attention_trace::{
    Array,
    lessons::{Convolved, FullyConnected, Pooled},
};
use burn::prelude::*;
use burn::tensor::{activation::softmax, module::conv1d, ops::ConvOptions};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use super::{LessonError, array, device, fits, matrix, not_too_large, values, vector};

/// Computes a fully connected layer over positions, `Y = WX`, made for `positions` of them. Its weights have a variance
/// of `1/positions`, as in an untrained layer, and are the same for the same seed on every machine.
///
/// # Errors
/// If there are more or fewer values than it was made for, or they are too many or not finite.
pub fn fully_connected(
    of: &Array,
    positions: usize,
    seed: u64,
) -> Result<FullyConnected, LessonError> {
    let table = matrix("the input", of, "[n, d]")?;
    not_too_large("the weights", positions.saturating_mul(positions))?;
    if table.dims()[0] != positions {
        return Err(LessonError::Positions {
            given: table.dims()[0],
            made_for: positions,
        });
    }
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let normal = StandardNormal.sample_iter(&mut generator);
    let drawn: Vec<f32> = normal.take(positions * positions).collect();
    let weights = Tensor::<2>::from_data(TensorData::new(drawn, [positions; 2]), &device())
        / (positions as f32).sqrt();
    Ok(FullyConnected {
        weights: array(weights.clone())?,
        mixed: array(weights.matmul(table))?,
    })
}

/// Computes a convolution over positions with the kernel's weights at the offsets from `-r` to `r`, and zeros beyond
/// the ends: by the equivalent banded matrix, and by burn's convolution with every feature as a separate sequence.
///
/// # Errors
/// If the kernel has no middle, or the values are too many or not finite.
pub fn convolve(of: &Array, kernel: &[f32]) -> Result<Convolved, LessonError> {
    let table = matrix("the values", of, "[n, d]")?;
    let [n, width] = table.dims();
    let taps = kernel.len();
    fits(taps % 2 == 1, "the kernel", &[taps], "[2r + 1]")?;
    not_too_large("the matrix", n.saturating_mul(n))?;
    let reach = taps / 2;
    let weight = |query: usize, key: usize| {
        let place = (key + reach).checked_sub(query);
        place.and_then(|place| kernel.get(place)).copied()
    };
    let cells = (0..n).flat_map(|query| (0..n).map(move |key| (query, key)));
    let banded = Array {
        shape: vec![n, n],
        data: cells
            .map(|(query, key)| weight(query, key).unwrap_or(0.0))
            .collect(),
    };
    let by_matrix = matrix("the matrix", &banded, "[n, n]")?.matmul(table.clone());
    // One channel, one sequence for each feature: [d, 1, n].
    let sequences = table.transpose().unsqueeze_dim::<3>(1);
    let kernel = vector("the kernel", kernel)?.reshape([1, 1, taps]);
    let options = ConvOptions::new([1], [reach], [1], 1);
    let made = conv1d(sequences, kernel, None, options);
    Ok(Convolved {
        matrix: banded,
        by_matrix: array(by_matrix)?,
        by_convolution: array(made.reshape([width, n]).transpose())?,
    })
}

/// Reads values by mean pooling, by attention with equal scores, by attention with `softmax(β·s)`, by attention in
/// which each feature's scores are its own values, and by max pooling.
///
/// # Errors
/// If there is not one score for each value, or a number is not finite, or they are too many.
pub fn pool(of: &Array, scores: &[f32], sharpness: f32) -> Result<Pooled, LessonError> {
    let table = matrix("the values", of, "[n, d]")?;
    let [n, _] = table.dims();
    fits(scores.len() == n, "the scores", &[scores.len()], "[n]")?;
    if !sharpness.is_finite() {
        return Err(LessonError::NotFinite("the sharpness"));
    }
    let scores = vector("the scores", scores)?.unsqueeze::<2>();
    let read = |weights: Tensor<2>| values(weights.matmul(table.clone()));
    let weights = softmax(scores.clone() * sharpness, 1);
    let by_feature = softmax(table.clone() * sharpness, 0) * table.clone();
    Ok(Pooled {
        mean: values(table.clone().mean_dim(0))?,
        even: read(softmax(scores * 0.0, 1))?,
        attended: read(weights.clone())?,
        weights: values(weights)?,
        by_feature: values(by_feature.sum_dim(0))?,
        max: values(table.max_dim(0))?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(shape: [usize; 2], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    fn are_close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
    }

    #[test]
    fn a_fully_connected_layer_has_the_same_weights_for_every_input_of_its_length() {
        let made = |values: &[f32]| fully_connected(&of([2, 2], values), 2, 7).unwrap();
        let (one, other) = (made(&[1.0, 0.0, 0.0, 1.0]), made(&[5.0, 1.0, -2.0, 3.0]));
        assert_eq!(one.weights, other.weights);
        // Of the unit matrix it makes its weights.
        assert!(are_close(&one.mixed.data, &one.weights.data));
        assert_ne!(one.mixed, other.mixed);
    }

    #[test]
    fn another_length_is_refused() {
        let error = fully_connected(&of([3, 1], &[1.0, 2.0, 3.0]), 2, 7).unwrap_err();
        let expected = LessonError::Positions {
            given: 3,
            made_for: 2,
        };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            "the input has 3 positions, and the layer was made for 2"
        );
    }

    #[test]
    fn a_kernel_has_the_same_weights_in_every_row() {
        let values = of([4, 1], &[1.0, 2.0, 3.0, 4.0]);
        let made = convolve(&values, &[10.0, 1.0, 0.5]).unwrap();
        #[rustfmt::skip]
        let band = [
            1.0, 0.5, 0.0, 0.0,
            10.0, 1.0, 0.5, 0.0,
            0.0, 10.0, 1.0, 0.5,
            0.0, 0.0, 10.0, 1.0,
        ];
        assert_eq!(made.matrix, of([4, 4], &band));
        // 1 + 2/2; 10 + 2 + 3/2; 20 + 3 + 4/2; 30 + 4.
        let expected = [2.0, 13.5, 25.0, 34.0];
        assert!(are_close(&made.by_matrix.data, &expected));
        assert!(are_close(&made.by_convolution.data, &expected));
    }

    #[test]
    fn a_kernel_without_a_middle_is_refused() {
        assert!(convolve(&of([2, 1], &[1.0, 2.0]), &[1.0, 2.0]).is_err());
    }

    #[test]
    fn a_sharp_score_takes_one_value_and_max_pooling_one_of_each_feature() {
        let values = of([2, 2], &[3.0, -1.0, 1.0, 4.0]);
        let made = pool(&values, &[0.5, 1.0], 1000.0).unwrap();
        assert_eq!(made.attended, [1.0, 4.0]);
        assert_eq!(made.max, [3.0, 4.0]);
        assert_eq!(made.by_feature, [3.0, 4.0]);
        assert_eq!(made.mean, [2.0, 1.5]);
    }

    #[test]
    fn a_score_for_each_value_is_asked_for() {
        let values = of([2, 1], &[1.0, 2.0]);
        assert!(pool(&values, &[1.0], 1.0).is_err());
        assert!(pool(&values, &[1.0, 1.0], f32::INFINITY).is_err());
    }

    proptest! {
        #[test]
        fn matrix_and_convolution_agree(
            x in prop::collection::vec(-3.0f32..3.0, 10), kernel in prop::collection::vec(-2.0f32..2.0, 5)
        ) {
            let made = convolve(&of([5, 2], &x), &kernel).unwrap();
            prop_assert!(are_close(&made.by_matrix.data, &made.by_convolution.data));
        }

        #[test]
        fn without_sharpness_attention_is_mean_pooling(
            x in prop::collection::vec(-3.0f32..3.0, 8), scores in prop::collection::vec(-5.0f32..5.0, 4)
        ) {
            let made = pool(&of([4, 2], &x), &scores, 0.0).unwrap();
            for read in [&made.even, &made.attended, &made.by_feature] {
                prop_assert!(are_close(read, &made.mean));
            }
            let sharp = pool(&of([4, 2], &x), &scores, 1.0).unwrap();
            prop_assert!(sharp.by_feature.iter().zip(&sharp.max).all(|(read, max)| read <= &(max + 1e-4)));
            prop_assert!((sharp.weights.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
