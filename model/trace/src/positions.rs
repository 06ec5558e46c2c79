//! Positional encodings as closed formulas: what the models add or rotate by, and how similarity
//! falls with distance.

use std::ops::Range;

/// Positions per radian of dimension pair `pair` of `width`, `base^(2·pair/width)`, of both the
/// sinusoidal encoding and RoPE.
fn wavelength(pair: usize, width: usize, base: f32) -> f64 {
    f64::from(base).powf(2.0 * pair as f64 / width as f64)
}

/// The base of the sinusoidal encoding ("Attention Is All You Need", section 3.5).
pub const SINUSOIDAL_BASE: f32 = 10_000.0;

/// In which order a sinusoidal encoding lays out its sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinusoidalLayout {
    /// The paper's: sine in even dimensions, cosine in odd ones.
    Interleaved,
    /// Marian's: all sines, then all cosines. A permutation of the paper's.
    Halves,
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
    let wavelengths = wavelengths(width, SINUSOIDAL_BASE);
    let mut table = vec![0.0; positions.len() * width];
    for (position, row) in positions.zip(table.chunks_mut(width)) {
        for (pair, wavelength) in wavelengths.iter().enumerate() {
            let radians = position as f64 / wavelength;
            let (sine, cosine) = match layout {
                SinusoidalLayout::Interleaved => (2 * pair, 2 * pair + 1),
                SinusoidalLayout::Halves => (pair, width / 2 + pair),
            };
            row[sine] = radians.sin() as f32;
            row[cosine] = radians.cos() as f32;
        }
    }
    table
}

/// Cosines and sines of RoPE's angles at `positions`, `[positions, width]` row-major each: dimensions
/// `i` and `i + width/2` are a pair and share an angle.
pub fn rotations(positions: Range<usize>, width: usize, base: f32) -> (Vec<f32>, Vec<f32>) {
    // In f64, as the reference implementations build their tables.
    let wavelengths = wavelengths(width, base);
    positions
        .flat_map(|position| {
            let pairs = wavelengths.iter().chain(&wavelengths);
            pairs.map(move |wavelength| (position as f64 / wavelength).sin_cos())
        })
        .map(|(sine, cosine)| (cosine as f32, sine as f32))
        .unzip()
}

/// Turns `vector` to `position` as RoPE does (Su et al. 2021), pairing dimension `i` with
/// `i + width/2` as Llama checkpoints do.
pub fn rotate(vector: &[f32], position: usize, base: f32) -> Vec<f32> {
    turn(vector, position, &wavelengths(vector.len(), base))
}

fn wavelengths(width: usize, base: f32) -> Vec<f64> {
    let pairs = 0..width / 2;
    pairs.map(|pair| wavelength(pair, width, base)).collect()
}

fn turn(vector: &[f32], position: usize, wavelengths: &[f64]) -> Vec<f32> {
    let half = wavelengths.len();
    let mut turned = vec![0.0; vector.len()];
    for (pair, wavelength) in wavelengths.iter().enumerate() {
        let (sine, cosine) = (position as f64 / wavelength).sin_cos();
        let (a, b) = (vector[pair], vector[pair + half]);
        let (sine, cosine) = (sine as f32, cosine as f32);
        turned[pair] = a * cosine - b * sine;
        turned[pair + half] = b * cosine + a * sine;
    }
    turned
}

/// `q·k` for each distance in `0..distances`, with `q` at position 0 and `k` moving away.
/// Query and key are given as they are before rotation.
pub fn rope_decay(query: &[f32], key: &[f32], distances: usize, base: f32) -> Vec<f32> {
    // Powers are dear, and the same at every distance.
    let wavelengths = wavelengths(key.len(), base);
    (0..distances)
        .map(|distance| dot(query, &turn(key, distance, &wavelengths)))
        .collect()
}

/// `PE(p)·PE(p+k)` for `k` in `0..distances`, the same for every `p`.
pub fn sinusoidal_decay(width: usize, distances: usize) -> Vec<f32> {
    let table = sinusoidal(0..distances, width, SinusoidalLayout::Interleaved);
    (0..distances)
        .map(|k| dot(&table[..width], &table[k * width..(k + 1) * width]))
        .collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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

    #[test]
    fn rotations_turn_as_rotate_does() {
        let vector: Vec<f32> = (0..8).map(|i| i as f32 - 3.0).collect();
        let (cosines, sines) = rotations(5..7, 8, 100.0);
        let turned = rotate(&vector, 6, 100.0);
        for i in 0..4 {
            let (a, b) = (vector[i], vector[i + 4]);
            assert_eq!(turned[i], a * cosines[8 + i] - b * sines[8 + i]);
            assert_eq!(turned[i + 4], b * cosines[12 + i] + a * sines[12 + i]);
        }
    }

    #[test]
    fn rope_sees_only_the_difference_of_positions() {
        let query: Vec<f32> = (0..16).map(|i| (i as f32 * 0.7).sin()).collect();
        let key: Vec<f32> = (0..16).map(|i| (i as f32 * 1.3).cos()).collect();
        let at = |m, n| dot(&rotate(&query, m, 10_000.0), &rotate(&key, n, 10_000.0));
        for (m, n) in [(0, 0), (3, 5), (10, 2)] {
            assert!((at(m, n) - at(m + 7, n + 7)).abs() < 1e-4);
        }
    }
}
