//! The sinusoidal encoding ("Attention Is All You Need", section 3.5).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{dot, wavelengths};

/// The base of the sinusoidal encoding ("Attention Is All You Need", section 3.5).
pub const SINUSOIDAL_BASE: f32 = 10_000.0;

/// The order of sines and cosines in a sinusoidal encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SinusoidalLayout {
    /// The paper's: sine in even dimensions, cosine in odd ones.
    Interleaved,
    /// Marian's: all sines, then all cosines. A permutation of the paper's.
    Halves,
    /// M2M-100's, from [tensor2tensor](https://github.com/tensorflow/tensor2tensor): halves whose slowest pair has the base
    /// itself as its wavelength.
    HalvesToBase,
}

impl SinusoidalLayout {
    /// Positions per radian of each pair of dimensions, fastest first.
    fn wavelengths(self, width: usize) -> Vec<f64> {
        let pairs = width / 2;
        match self {
            SinusoidalLayout::Interleaved | SinusoidalLayout::Halves => {
                wavelengths(width, SINUSOIDAL_BASE)
            }
            SinusoidalLayout::HalvesToBase => (0..pairs)
                .map(|pair| pair as f64 / pairs.saturating_sub(1).max(1) as f64)
                .map(|share| f64::from(SINUSOIDAL_BASE).powf(share))
                .collect(),
        }
    }
}

/// The sinusoidal encoding of `positions`, `[positions, width]` row-major.
///
/// # Panics
/// If `width` is odd.
pub fn sinusoidal(positions: Range<usize>, width: usize, layout: SinusoidalLayout) -> Vec<f32> {
    assert!(
        width.is_multiple_of(2),
        "a sinusoidal encoding pairs its dimensions"
    );
    let wavelengths = layout.wavelengths(width);
    let mut table = vec![0.0; positions.len() * width];
    for (position, row) in positions.zip(table.chunks_mut(width)) {
        for (pair, wavelength) in wavelengths.iter().enumerate() {
            let radians = position as f64 / wavelength;
            let (sine, cosine) = match layout {
                SinusoidalLayout::Interleaved => (2 * pair, 2 * pair + 1),
                SinusoidalLayout::Halves | SinusoidalLayout::HalvesToBase => {
                    (pair, width / 2 + pair)
                }
            };
            row[sine] = radians.sin() as f32;
            row[cosine] = radians.cos() as f32;
        }
    }
    table
}

/// `PE(p)·PE(p+k)` for `k` in `0..distances`, the same for every `p`.
pub fn sinusoidal_decay(width: usize, distances: usize) -> Vec<f32> {
    let table = sinusoidal(0..distances, width, SinusoidalLayout::Interleaved);
    (0..distances)
        .map(|k| dot(&table[..width], &table[k * width..(k + 1) * width]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_zero_is_sines_of_zero_and_cosines_of_zero() {
        assert_eq!(
            sinusoidal(0..1, 4, SinusoidalLayout::Interleaved),
            [0.0, 1.0, 0.0, 1.0]
        );
        assert_eq!(
            sinusoidal(0..1, 4, SinusoidalLayout::Halves),
            [0.0, 0.0, 1.0, 1.0]
        );
    }

    #[test]
    fn the_slowest_pair_has_the_base_as_its_wavelength() {
        let wavelengths = SinusoidalLayout::HalvesToBase.wavelengths(6);
        assert_eq!(wavelengths[0], 1.0);
        assert!((wavelengths[1] - 100.0).abs() < 1e-9 && (wavelengths[2] - 1e4).abs() < 1e-9);
    }

    #[test]
    fn the_first_pair_turns_once_every_two_pi_positions() {
        let table = sinusoidal(0..8, 512, SinusoidalLayout::Interleaved);
        for position in 0..8 {
            let row = &table[position * 512..];
            assert!((row[0] - (position as f32).sin()).abs() < 1e-6);
            assert!((row[1] - (position as f32).cos()).abs() < 1e-6);
        }
    }

    #[test]
    fn sinusoidal_similarity_depends_on_distance_alone() {
        let (width, count) = (64, 40);
        let table = sinusoidal(0..count, width, SinusoidalLayout::Interleaved);
        let decay = sinusoidal_decay(width, count);
        for p in 0..20 {
            for k in 0..20 {
                let similarity = dot(
                    &table[p * width..][..width],
                    &table[(p + k) * width..][..width],
                );
                assert!((similarity - decay[k]).abs() < 1e-4);
            }
        }
        assert_eq!(decay[0], 32.0);
    }

    #[test]
    fn rows_from_the_middle_are_those_of_the_whole_table() {
        let table = sinusoidal(0..9, 6, SinusoidalLayout::Halves);
        assert_eq!(
            sinusoidal(4..9, 6, SinusoidalLayout::Halves),
            table[4 * 6..]
        );
    }
}
