//! How a Transformer knows positions, as closed formulas: what the models add or rotate by, and how
//! similarity falls with distance.

mod alibi;
mod rope;
mod sinusoidal;
mod t5;

use serde::{Deserialize, Serialize};

pub use alibi::{alibi_bias, alibi_slopes};
pub use rope::{rope_decay, rotate, rotations};
pub use sinusoidal::{SINUSOIDAL_BASE, SinusoidalLayout, sinusoidal, sinusoidal_decay};
pub use t5::{Buckets, Direction};

/// How a model knows where a token stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionalEncoding {
    /// Queries and keys are turned by angles that grow with their position (Su et al. 2021).
    #[default]
    Rope,
    /// Not at all, but for the causal mask.
    None,
    /// A learned vector for each position is added to the embeddings (GPT-2, BERT).
    Learned,
    /// Sines and cosines of the position are added to the embeddings (Vaswani et al. 2017).
    Sinusoidal,
    /// A learned bias for each head and range of distances is added to the scores (Raffel et al. 2020).
    T5,
    /// Scores fall with distance, in each head by another slope (Press et al. 2022).
    Alibi,
}

impl PositionalEncoding {
    /// Whether a vector for each position is added to the embeddings.
    pub fn adds_vectors(self) -> bool {
        matches!(
            self,
            PositionalEncoding::Learned | PositionalEncoding::Sinusoidal
        )
    }

    /// Whether a bias is added to the scaled scores.
    pub fn biases_scores(self) -> bool {
        matches!(self, PositionalEncoding::T5 | PositionalEncoding::Alibi)
    }
}

/// Positions per radian of dimension pair `pair` of `width`, `base^(2·pair/width)`, of both the
/// sinusoidal encoding and RoPE.
fn wavelength(pair: usize, width: usize, base: f32) -> f64 {
    f64::from(base).powf(2.0 * pair as f64 / width as f64)
}

fn wavelengths(width: usize, base: f32) -> Vec<f64> {
    let pairs = 0..width / 2;
    pairs.map(|pair| wavelength(pair, width, base)).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
