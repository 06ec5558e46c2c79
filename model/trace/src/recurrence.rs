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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_widest_at_its_centre_and_narrow_at_its_ends() {
        assert_eq!(window_factor(0.0, 4), 1.0);
        assert!((window_factor(2.0, 4) - (-0.5_f32).exp()).abs() < 1e-7);
        assert!((window_factor(-4.0, 4) - (-2.0_f32).exp()).abs() < 1e-7);
    }
}
