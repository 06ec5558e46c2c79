//! A norm with its scale held constant, and sums of vectors.

use attention_trace::NormKind;

/// Double precision, since hundreds of terms are summed.
pub type Vector = Vec<f64>;

/// A norm with the scale that it had for one vector: a linear map.
pub struct FrozenNorm {
    /// The gain divided by σ, entry by entry.
    scales: Vector,
    /// True if the mean is subtracted first.
    centres: bool,
}

impl FrozenNorm {
    /// Creates the norm that turned `input` into `output`. Its scale is the one that fits all entries best, which
    /// rounding affects less than a single quotient.
    pub fn of(
        kind: NormKind,
        input: &[f64],
        output: &[f64],
        gain: Option<&Vector>,
        bias: Option<&Vector>,
    ) -> Self {
        let centres = kind == NormKind::LayerNorm;
        let centred = if centres {
            centred(input)
        } else {
            input.to_vec()
        };
        let gain = gain.cloned().unwrap_or_else(|| vec![1.0; input.len()]);
        let unscaled: Vector = centred.iter().zip(&gain).map(|(x, g)| x * g).collect();
        let mut without_bias = output.to_vec();
        if let Some(bias) = bias {
            add(&mut without_bias, bias, -1.0);
        }
        let square = dot(&unscaled, &unscaled);
        let scale = match square > 0.0 {
            true => dot(&unscaled, &without_bias) / square,
            false => 0.0,
        };
        FrozenNorm {
            scales: gain.iter().map(|gain| gain * scale).collect(),
            centres,
        }
    }

    /// Returns the direction for the norm's input that gives the same number as `direction` for its output.
    pub fn pulled_back(&self, direction: &[f64]) -> Vector {
        let scaled: Vector = direction
            .iter()
            .zip(&self.scales)
            .map(|(v, s)| v * s)
            .collect();
        if self.centres {
            centred(&scaled)
        } else {
            scaled
        }
    }
}

/// Subtracts the mean from the numbers.
fn centred(values: &[f64]) -> Vector {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| value - mean).collect()
}

/// Computes the dot product of two vectors.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Adds a multiple of some numbers to a sum, place by place.
pub fn add(sum: &mut [f64], values: &[f64], factor: f64) {
    sum.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += factor * value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WIDTH: usize = 6;

    /// Computes the output of the norm.
    fn normalised(kind: NormKind, input: &[f64], gain: &[f64], bias: &[f64]) -> Vector {
        let x = match kind {
            NormKind::LayerNorm => centred(input),
            NormKind::RmsNorm => input.to_vec(),
        };
        let sigma = (dot(&x, &x) / x.len() as f64 + 1e-5).sqrt();
        let scaled = x.iter().zip(gain).map(|(x, g)| g * x / sigma);
        scaled.zip(bias).map(|(y, b)| y + b).collect()
    }

    fn numbers() -> impl Strategy<Value = Vector> {
        prop::collection::vec(-3.0..3.0f64, WIDTH)
    }

    proptest! {
        /// The shares of the parts of a norm's input, and that of its bias, sum to the product of its output with a
        /// direction.
        #[test]
        fn a_frozen_norm_shares_out_what_it_made(
            (one, other) in (numbers(), numbers()),
            (gain, bias) in (numbers(), numbers()),
            direction in numbers(),
            centres in any::<bool>(),
        ) {
            let kind = if centres { NormKind::LayerNorm } else { NormKind::RmsNorm };
            let input: Vector = one.iter().zip(&other).map(|(a, b)| a + b).collect();
            prop_assume!(dot(&centred(&input), &centred(&input)) > 1e-2);
            let output = normalised(kind, &input, &gain, &bias);
            let norm = FrozenNorm::of(kind, &input, &output, Some(&gain), Some(&bias));
            let before = norm.pulled_back(&direction);
            let sum = dot(&one, &before) + dot(&other, &before) + dot(&bias, &direction);
            prop_assert!((sum - dot(&output, &direction)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_norm_of_nothing_gives_no_share() {
        let nothing = vec![0.0; WIDTH];
        let norm = FrozenNorm::of(NormKind::RmsNorm, &nothing, &nothing, None, None);
        assert_eq!(norm.pulled_back(&[1.0; WIDTH]), nothing);
    }

    #[test]
    fn shares_of_a_mean_are_taken_off() {
        assert_eq!(centred(&[1.0, 2.0, 6.0]), [-2.0, -1.0, 3.0]);
    }
}
