//! Position encodings of a Transformer as closed formulas: the vectors, biases and rotations that the models apply, and
//! the fall of similarity with distance.

mod alibi;
mod rope;
mod scaling;
mod sinusoidal;
mod t5;

use serde::{Deserialize, Serialize};

pub use alibi::{alibi_bias, alibi_slopes};
pub use rope::{
    relative_rotation, rope_decay, rope_decay_at, rotate, rotation_matrix, rotations, rotations_at,
};
pub use scaling::{Ramp, RopeScaling, ScaledRope};
pub use sinusoidal::{SINUSOIDAL_BASE, SinusoidalLayout, sinusoidal, sinusoidal_decay};
pub use t5::{Buckets, Direction};

/// A way of encoding a token's position.
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
    /// True if a vector for each position is added to the embeddings.
    pub fn adds_vectors(self) -> bool {
        matches!(
            self,
            PositionalEncoding::Learned | PositionalEncoding::Sinusoidal
        )
    }

    /// True if a bias is added to the scaled scores.
    pub fn biases_scores(self) -> bool {
        matches!(self, PositionalEncoding::T5 | PositionalEncoding::Alibi)
    }
}

impl PositionalEncoding {
    /// All of them, in the order in which they are told of.
    pub const ALL: [PositionalEncoding; 6] = [
        PositionalEncoding::None,
        PositionalEncoding::Learned,
        PositionalEncoding::Sinusoidal,
        PositionalEncoding::T5,
        PositionalEncoding::Rope,
        PositionalEncoding::Alibi,
    ];
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

/// `E(p)·E(p + k)` for `k` in `0..distances`, the mean over all rows of a table `[n, width]` that have a
/// row so far below them; a distance that no two rows have is not a number.
pub fn table_similarity(table: &[f32], width: usize, distances: usize) -> Vec<f32> {
    let rows: Vec<&[f32]> = table.chunks_exact(width.max(1)).collect();
    let mean = |distance: usize| {
        let pairs = rows.iter().zip(rows.iter().skip(distance));
        let products: Vec<f32> = pairs.map(|(a, b)| dot(a, b)).collect();
        products.iter().sum::<f32>() / products.len() as f32
    };
    (0..distances).map(mean).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tables_similarity_is_the_mean_over_pairs_of_a_distance() {
        let table = [1.0, 0.0, 0.0, 2.0, 3.0, 4.0];
        assert_eq!(table_similarity(&table, 2, 3), [10.0, 4.0, 3.0]);
        assert!(table_similarity(&table, 2, 4)[3].is_nan());
    }

    #[test]
    fn of_sinusoids_it_is_their_decay() {
        let table = sinusoidal(0..40, 16, SinusoidalLayout::Halves);
        let decay = sinusoidal_decay(16, 20);
        for (a, b) in table_similarity(&table, 16, 20).iter().zip(&decay) {
            assert!((a - b).abs() < 1e-4);
        }
    }
}
