//! Recurrent encoder–decoders as facts: the path from the source to the decoder.

use serde::{Deserialize, Serialize};

/// The facts of a recurrent encoder–decoder, in place of layers of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurrenceSpec {
    /// Width of the decoder's states and of the encoder's.
    pub state_width: usize,
    /// True if the encoder reads the source in both directions; each then has half of the width.
    pub bidirectional: bool,
    /// The decoder's way of attending to the encoder's states.
    pub attention: RecurrentAttention,
}

/// A recurrent decoder's way of attending to the states of its encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecurrentAttention {
    /// Not at all: it starts from the last of them, one vector of fixed length
    /// ([Sutskever et al. 2014](https://arxiv.org/abs/1409.3215)).
    None,
    /// Before each state, by the state before it; the context is read beside the embedding
    /// ([Bahdanau et al. 2014](https://arxiv.org/abs/1409.0473)).
    Bahdanau,
    /// After each state, by that state; the context goes to the output alone
    /// ([Luong et al. 2015](https://arxiv.org/abs/1508.04025), without input feeding).
    Luong {
        /// The score that compares a state of the decoder with one of the encoder.
        score: AlignmentScore,
        /// `D` of local attention with a predicted centre ("local-p"): positions up to so far from the centre are
        /// looked at. Without it all are ("global").
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window: Option<usize>,
    },
}

/// A score that compares a state of the decoder, `s`, with one of the encoder, `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlignmentScore {
    /// The dot product, `sᵀh`.
    Dot,
    /// The product through a matrix, `sᵀWh`.
    General,
    /// `vᵀ tanh(W s + U h)`: Bahdanau's, and Luong's `concat`, `vᵀ tanh(W [s; h])`.
    #[serde(rename = "concat")]
    Additive,
}

impl RecurrentAttention {
    /// Returns the score that compares states, if there is one.
    pub fn score(self) -> Option<AlignmentScore> {
        match self {
            RecurrentAttention::None => None,
            RecurrentAttention::Bahdanau => Some(AlignmentScore::Additive),
            RecurrentAttention::Luong { score, .. } => Some(score),
        }
    }

    /// `D` of local attention.
    pub fn window(self) -> Option<usize> {
        match self {
            RecurrentAttention::Luong { window, .. } => window,
            RecurrentAttention::None | RecurrentAttention::Bahdanau => None,
        }
    }
}

/// Returns the factor by which local attention multiplies the weight of a position, `e^(−(s − p)² / 2σ²)`
/// with `σ = D/2` (Luong et al. 2015, equation 10): `distance` is `s − p`, `window` is `D`.
pub fn window_factor(distance: f32, window: usize) -> f32 {
    let deviation = window as f32 / 2.0;
    (-distance * distance / (2.0 * deviation * deviation)).exp()
}

/// Returns the weights that local attention gives for the same scores, from those of global attention: softmax over the
/// positions at most `window` from the centre, which is their share of what the window has, and with `bell` multiplied by
/// [`window_factor`] (Luong's local-p; local-m has no bell). Positions outside have no weight.
pub fn localised(weights: &[f32], center: f32, window: usize, bell: bool) -> Vec<f32> {
    let distance = |position: usize| position as f32 - center;
    let is_inside = |position: usize| distance(position).abs() <= window as f32;
    let inside = weights.iter().enumerate();
    let sum: f32 = inside
        .filter(|(position, _)| is_inside(*position))
        .map(|(_, weight)| weight)
        .sum();
    let local = |(position, weight): (usize, &f32)| match is_inside(position) && sum > 0.0 {
        true if bell => weight / sum * window_factor(distance(position), window),
        true => weight / sum,
        false => 0.0,
    };
    weights.iter().enumerate().map(local).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
    }

    #[test]
    fn local_weights_are_those_of_a_softmax_in_the_window() {
        // Scores 1, 3, 2, 0, 2, and PyTorch's softmax of all of them, and of the three around position 2.
        let all = [
            0.072_329_48,
            0.534_446_6,
            0.196_611_93,
            0.026_608_53,
            0.196_611_93,
        ];
        let around = [0.0, 0.705_384_5, 0.259_496_5, 0.035_119_04, 0.0];
        assert_close(&localised(&all, 2.0, 1, false), &around);
        // A bell of deviation 1/2: e^(−2) one position from the centre.
        let edge = (-2.0f32).exp();
        let bell = [
            0.0,
            0.705_384_5 * edge,
            0.259_496_5,
            0.035_119_04 * edge,
            0.0,
        ];
        assert_close(&localised(&all, 2.0, 1, true), &bell);
        // The window goes beyond the sentence, and there is nothing.
        assert_close(&localised(&all, -3.0, 1, false), &[0.0; 5]);
    }

    #[test]
    fn a_window_is_widest_at_its_centre_and_narrow_at_its_ends() {
        assert_eq!(window_factor(0.0, 4), 1.0);
        assert!((window_factor(2.0, 4) - (-0.5_f32).exp()).abs() < 1e-7);
        assert!((window_factor(-4.0, 4) - (-2.0_f32).exp()).abs() < 1e-7);
    }
}
