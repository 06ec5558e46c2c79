//! LayerNorm, RMSNorm and BatchNorm on the same activations: burn's own, without learned weights.

use attention_trace::{
    Array,
    lessons::{NormKind, Normed},
};
use burn::nn::{BatchNormConfig, LayerNormConfig, RmsNormConfig};
use burn::prelude::*;

use super::{LessonError, array, tensor, values};

/// The ε of all three, burn's and PyTorch's default.
const EPSILON: f64 = 1e-5;

/// Normalises activations `[b, n, d]`.
///
/// # Errors
/// If they do not have three axes, are too many, or are not finite.
pub fn norm(kind: NormKind, activations: &Array) -> Result<Normed, LessonError> {
    let x = tensor::<3>("the activations", activations, "[b, n, d]")?;
    let [_, _, d] = x.dims();
    let device = x.device();
    let (normed, centre, spread) = match kind {
        NormKind::Layer => {
            let norm = LayerNormConfig::new(d).with_epsilon(EPSILON).init(&device);
            let (variance, mean) = x.clone().var_mean_bias(2);
            (norm.forward(x), values(mean)?, values(variance.sqrt())?)
        }
        NormKind::Rms => {
            let norm = RmsNormConfig::new(d).with_epsilon(EPSILON).init(&device);
            let root = values(x.clone().square().mean_dim(2).sqrt())?;
            (norm.forward(x), vec![0.0; root.len()], root)
        }
        NormKind::Batch => {
            let positions = x.clone().flatten::<2>(0, 1);
            let (variance, mean) = positions.var_mean_bias(0);
            (batch_norm(x), values(mean)?, values(variance.sqrt())?)
        }
    };
    Ok(Normed {
        kind,
        activations: array(normed)?,
        centre,
        spread,
    })
}

/// Normalises by the statistics of this batch, as in training: burn does so on a device with gradients.
fn batch_norm(x: Tensor<3>) -> Tensor<3> {
    let [_, _, d] = x.dims();
    let x = x.autodiff();
    let norm = BatchNormConfig::new(d)
        .with_epsilon(EPSILON)
        .init(&x.device());
    // Features are channels, which burn has on the second axis.
    norm.forward(x.swap_dims(1, 2)).swap_dims(1, 2).inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: usize = 2;
    const N: usize = 3;
    const D: usize = 4;

    fn activations() -> Array {
        let values = (0..B * N * D).map(|i| ((i * 7) % 11) as f32 * 0.5 - 1.0 + (i % D) as f32);
        Array {
            shape: vec![B, N, D],
            data: values.collect(),
        }
    }

    /// Computes mean and variance in double precision.
    fn moments(values: &[f32]) -> (f64, f64) {
        let count = values.len() as f64;
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        let variance = values
            .iter()
            .map(|&x| (f64::from(x) - mean).powi(2))
            .sum::<f64>()
            / count;
        (mean, variance)
    }

    fn assert_close(found: f32, expected: f64) {
        assert!(
            (f64::from(found) - expected).abs() < 1e-4,
            "{found} for {expected}"
        );
    }

    #[test]
    fn layer_norm_over_the_features_of_each_position() {
        let (x, made) = (
            activations(),
            norm(NormKind::Layer, &activations()).unwrap(),
        );
        assert_eq!(made.activations.shape, [B, N, D]);
        for (place, row) in x.data.chunks(D).enumerate() {
            let (mean, variance) = moments(row);
            assert_close(made.centre[place], mean);
            assert_close(made.spread[place], variance.sqrt());
            for (found, &value) in made.activations.data[place * D..].iter().zip(row) {
                assert_close(
                    *found,
                    (f64::from(value) - mean) / (variance + EPSILON).sqrt(),
                );
            }
        }
    }

    #[test]
    fn rms_norm_keeps_the_mean() {
        let (x, made) = (activations(), norm(NormKind::Rms, &activations()).unwrap());
        assert_eq!(made.centre, [0.0; B * N]);
        for (place, row) in x.data.chunks(D).enumerate() {
            let square = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / D as f64;
            assert_close(made.spread[place], square.sqrt());
            for (found, &value) in made.activations.data[place * D..].iter().zip(row) {
                assert_close(*found, f64::from(value) / (square + EPSILON).sqrt());
            }
        }
    }

    #[test]
    fn batch_norm_over_all_positions_of_each_feature() {
        let (x, made) = (
            activations(),
            norm(NormKind::Batch, &activations()).unwrap(),
        );
        assert_eq!(made.activations.shape, [B, N, D]);
        for feature in 0..D {
            let column: Vec<f32> = x.data.iter().skip(feature).step_by(D).copied().collect();
            let (mean, variance) = moments(&column);
            assert_close(made.centre[feature], mean);
            assert_close(made.spread[feature], variance.sqrt());
            let found = made.activations.data.iter().skip(feature).step_by(D);
            for (found, value) in found.zip(column) {
                assert_close(
                    *found,
                    (f64::from(value) - mean) / (variance + EPSILON).sqrt(),
                );
            }
        }
    }

    #[test]
    fn another_sentence_of_the_batch_matters_to_batch_norm_alone() {
        let changed = |kind| {
            let mut other = activations();
            for value in &mut other.data[N * D..] {
                *value += 3.0;
            }
            let first = |x: &Array| norm(kind, x).unwrap().activations.data[..N * D].to_vec();
            first(&activations()) != first(&other)
        };
        assert!(changed(NormKind::Batch));
        assert!(!changed(NormKind::Layer) && !changed(NormKind::Rms));
    }

    #[test]
    fn what_has_not_three_axes_is_refused() {
        let flat = Array {
            shape: vec![6, 4],
            data: vec![0.0; 24],
        };
        assert!(norm(NormKind::Layer, &flat).is_err());
    }
}
