//! Attention of several layers as a stack of matrices, and their product.

use crate::{Array, AttentionKind, AttentionLayer, ModelSpec, Quantity, Site};

/// The share of a position that stays where it is, as the residual stream carries it past the attention (Abnar and
/// Zuidema 2020, section 3: `A = 0.5 W_att + 0.5 I`). It is a convention, not a number of the model.
const STAYS: f32 = 0.5;

/// The layers that are followed from the input up to an attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Self-attentions, the first layer first. Each is mixed with what stays.
    pub through: Vec<AttentionLayer>,
    /// Cross-attention above them, unmixed: it reads other states than the residual stream beside it carries.
    pub into: Option<AttentionLayer>,
}

impl Followed {
    /// The attentions that are multiplied.
    pub fn attentions(&self) -> impl Iterator<Item = AttentionLayer> + '_ {
        self.through.iter().copied().chain(self.into)
    }

    /// Returns the places of the attention weights that the matrices are computed from.
    pub fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        self.attentions().map(|layer| layer.at(Quantity::Pattern))
    }
}

impl ModelSpec {
    /// Returns the layers that are followed up to an attention. For self-attention these are the
    /// layers of its own stack up to that one; for cross-attention, all layers of the encoder and
    /// then this attention, so that a row of the decoder is led to what the encoder read. The
    /// decoder's own self-attention is left out there. `None` if layers are no such chain:
    /// positions that halt stay as they are.
    pub fn followed(&self, attention: AttentionLayer) -> Option<Followed> {
        let AttentionLayer { kind, layer } = attention;
        if self.recurrence.is_some() || self.halting().is_some() || layer >= self.layers(kind) {
            return None;
        }
        let through = |kind, layers| (0..layers).map(move |layer| AttentionLayer { kind, layer });
        Some(match kind {
            AttentionKind::Cross => Followed {
                through: through(
                    AttentionKind::EncoderSelf,
                    self.layers(AttentionKind::EncoderSelf),
                )
                .collect(),
                into: Some(attention),
            },
            AttentionKind::EncoderSelf | AttentionKind::DecoderSelf => Followed {
                through: through(kind, layer + 1).collect(),
                into: None,
            },
        })
    }
}

/// Matrices that stand one on another, the lowest first: each `[rows, rows of the one below]`.
pub type Joint = Vec<Array>;

/// Returns the matrices of the followed layers, from patterns `[h, n, m]`; `None` if one is missing or does not fit.
pub fn joint_layers<'a>(
    followed: &Followed,
    pattern: impl Fn(Site) -> Option<&'a Array>,
) -> Option<Joint> {
    let own = |layer: &AttentionLayer| residual_mix(pattern(layer.at(Quantity::Pattern))?);
    let mut layers: Joint = followed.through.iter().map(own).collect::<Option<_>>()?;
    if let Some(into) = followed.into {
        layers.push(mean_of_heads(pattern(into.at(Quantity::Pattern))?)?);
    }
    Some(layers)
}

/// The mean of all heads, `[h, n, m]` to `[n, m]`; `None` where there are no heads.
pub fn mean_of_heads(patterns: &Array) -> Option<Array> {
    let &[heads, rows, columns] = patterns.shape.as_slice() else {
        return None;
    };
    if heads == 0 || rows * columns == 0 {
        return None;
    }
    let mut data = vec![0.0; rows * columns];
    for head in patterns.data.chunks_exact(rows * columns) {
        let sums = data.iter_mut().zip(head);
        sums.for_each(|(sum, weight)| *sum += weight);
    }
    let count = heads as f32;
    data.iter_mut().for_each(|sum| *sum /= count);
    Some(Array {
        shape: vec![rows, columns],
        data,
    })
}

/// The mean of all heads of self-attention, half of it replaced by what stays: `½ Ā + ½ I`, `[h, n, n]` to `[n, n]`.
pub fn residual_mix(patterns: &Array) -> Option<Array> {
    let mut mean = mean_of_heads(patterns)?;
    let rows = mean.shape[0];
    if mean.shape != [rows, rows] {
        return None;
    }
    mean.data.iter_mut().for_each(|value| *value *= 1.0 - STAYS);
    mean.data
        .iter_mut()
        .step_by(rows + 1)
        .for_each(|value| *value += STAYS);
    Some(mean)
}

/// Attention rollout (Abnar and Zuidema 2020): the product of the layers, `A_L … A_1`. Where each layer's rows sum to
/// one, so do the product's. `None` where there are no layers, or they do not fit one on another.
pub fn rollout(layers: &[Array]) -> Option<Array> {
    let (last, below) = layers.split_last()?;
    let product = |upper: Array, lower: &Array| multiplied(&upper, lower);
    below.iter().rev().try_fold(last.clone(), product)
}

/// The product of two matrices, summed in double precision.
fn multiplied(upper: &Array, lower: &Array) -> Option<Array> {
    let (&[rows, inner], &[height, columns]) = (upper.shape.as_slice(), lower.shape.as_slice())
    else {
        return None;
    };
    if inner != height {
        return None;
    }
    let mut data = Vec::with_capacity(rows * columns);
    for row in upper.data.chunks_exact(inner.max(1)) {
        let mut sums = vec![0.0_f64; columns];
        for (&weight, lower) in row.iter().zip(lower.data.chunks_exact(columns.max(1))) {
            for (sum, &value) in sums.iter_mut().zip(lower) {
                *sum += f64::from(weight) * f64::from(value);
            }
        }
        data.extend(sums.into_iter().map(|sum| sum as f32));
    }
    Some(Array {
        shape: vec![rows, columns],
        data,
    })
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::tests::{decoder_only, encoder_decoder};

    prop_compose! {
        /// Weights `[heads, rows, columns]` whose rows sum to one.
        pub fn patterns(heads: usize, rows: usize, columns: usize)(
            values in prop::collection::vec(0.01f32..1.0, heads * rows * columns),
        ) -> Array {
            let mut data = values;
            for row in data.chunks_exact_mut(columns) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|value| *value /= sum);
            }
            Array { shape: vec![heads, rows, columns], data }
        }
    }

    fn sums(matrix: &Array) -> Vec<f32> {
        let rows = matrix.data.chunks_exact(matrix.shape[1]);
        rows.map(|row| row.iter().sum()).collect()
    }

    proptest! {
        #[test]
        fn rows_of_a_rollout_sum_to_one(
            first in patterns(3, 5, 5), second in patterns(2, 5, 5), cross in patterns(2, 4, 5),
        ) {
            let own = [&first, &second].map(|layer| residual_mix(layer).unwrap());
            let mut layers = own.to_vec();
            layers.push(mean_of_heads(&cross).unwrap());
            let rolled = rollout(&layers).unwrap();
            prop_assert_eq!(&rolled.shape, &[4, 5]);
            for sum in sums(&rolled) {
                prop_assert!((sum - 1.0).abs() < 1e-5);
            }
        }

        #[test]
        fn one_layer_is_its_own_rollout(layer in patterns(3, 4, 4)) {
            let mixed = residual_mix(&layer).unwrap();
            prop_assert_eq!(rollout(std::slice::from_ref(&mixed)), Some(mixed.clone()));
            let mean = mean_of_heads(&layer).unwrap();
            for row in 0..4 {
                for column in 0..4 {
                    let stays = if row == column { 0.5 } else { 0.0 };
                    let wanted = 0.5 * mean.row(&[row]).unwrap()[column] + stays;
                    prop_assert!((mixed.row(&[row]).unwrap()[column] - wanted).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_has_no_rollout() {
        let matrix = |rows: usize, columns: usize| Array {
            shape: vec![rows, columns],
            data: vec![0.5; rows * columns],
        };
        assert_eq!(rollout(&[]), None);
        assert_eq!(rollout(&[matrix(2, 2), matrix(2, 3)]), None);
        let oblong = Array {
            shape: vec![1, 2, 3],
            data: vec![0.0; 6],
        };
        assert_eq!(residual_mix(&oblong), None);
    }

    #[test]
    fn a_row_of_the_decoder_is_followed_through_the_whole_encoder() {
        let of = |kind, layer| AttentionLayer { kind, layer };
        let spec = encoder_decoder();
        let cross = of(AttentionKind::Cross, 1);
        let followed = spec.followed(cross).unwrap();
        let layers = spec.layers(AttentionKind::EncoderSelf);
        assert_eq!(
            (followed.through.len(), followed.into),
            (layers, Some(cross))
        );
        let own = spec.followed(of(AttentionKind::EncoderSelf, 0)).unwrap();
        assert_eq!((own.through.len(), own.into), (1, None));
        assert_eq!(spec.followed(of(AttentionKind::Cross, 99)), None);
        let own = of(AttentionKind::DecoderSelf, 2);
        assert_eq!(decoder_only().followed(own).unwrap().through.len(), 3);
    }
}
