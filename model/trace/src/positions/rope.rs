//! Rotary positions, RoPE ([Su et al. 2021](https://arxiv.org/abs/2104.09864)).

use std::ops::Range;

use super::{dot, wavelengths};

/// Cosines and sines of RoPE's angles at `positions`, `[positions, width]` row-major each: dimensions
/// `i` and `i + width/2` are a pair and share an angle.
pub fn rotations(positions: Range<usize>, width: usize, base: f32) -> (Vec<f32>, Vec<f32>) {
    rotations_at(positions, &wavelengths(width, base))
}

/// [`rotations`] with the wavelength of each pair of dimensions given, in positions per radian.
pub fn rotations_at(positions: Range<usize>, wavelengths: &[f64]) -> (Vec<f32>, Vec<f32>) {
    // In f64, as the reference implementations build their tables.
    positions
        .flat_map(|position| {
            let pairs = wavelengths.iter().chain(wavelengths);
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
    rope_decay_at(query, key, distances, &wavelengths(key.len(), base))
}

/// [`rope_decay`] with the wavelength of each pair of dimensions given, in positions per radian.
pub fn rope_decay_at(
    query: &[f32],
    key: &[f32],
    distances: usize,
    wavelengths: &[f64],
) -> Vec<f32> {
    (0..distances)
        .map(|distance| dot(query, &turn(key, distance, wavelengths)))
        .collect()
}

/// The block-diagonal matrix `R(position)` that turns a vector (equation 15 of Su et al.),
/// `[width, width]` row-major: dimensions `2i` and `2i + 1` are a pair here, as in the paper. Llama
/// checkpoints pair `i` with `i + width/2`, which is the same with the dimensions in another order. A
/// negative position turns the other way.
pub fn rotation_matrix(position: isize, width: usize, base: f32) -> Vec<f32> {
    let mut matrix = vec![0.0; width * width];
    for (pair, wavelength) in wavelengths(width, base).iter().enumerate() {
        let (sine, cosine) = (position as f64 / wavelength).sin_cos();
        let (sine, cosine) = (sine as f32, cosine as f32);
        let (a, b) = (2 * pair, 2 * pair + 1);
        matrix[a * width + a] = cosine;
        matrix[a * width + b] = -sine;
        matrix[b * width + a] = sine;
        matrix[b * width + b] = cosine;
    }
    matrix
}

/// `R(m)ᵀR(n)`, multiplied out; equal to `R(n − m)`, which is why a score sees the distance alone.
pub fn relative_rotation(m: isize, n: isize, width: usize, base: f32) -> Vec<f32> {
    let (left, right) = (
        rotation_matrix(m, width, base),
        rotation_matrix(n, width, base),
    );
    let cell = |row: usize, column: usize| {
        let terms = (0..width).map(|k| left[k * width + row] * right[k * width + column]);
        terms.sum::<f32>()
    };
    (0..width * width)
        .map(|index| cell(index / width, index % width))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn turning_back_and_forth_is_turning_by_the_difference() {
        for (m, n) in [(0, 0), (2, 7), (13, 5)] {
            let by_difference = rotation_matrix(n - m, 8, 100.0);
            let product = relative_rotation(m, n, 8, 100.0);
            let apart = product
                .iter()
                .zip(&by_difference)
                .map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f32::max) < 1e-6, "{m}, {n}");
        }
    }

    #[test]
    fn the_matrix_turns_as_rotate_does_with_its_pairs_side_by_side() {
        let vector: Vec<f32> = (0..8).map(|i| i as f32 - 3.0).collect();
        let matrix = rotation_matrix(6, 8, 100.0);
        let side_by_side: Vec<f32> = (0..4).flat_map(|i| [vector[i], vector[i + 4]]).collect();
        let turned = rotate(&vector, 6, 100.0);
        for (i, row) in matrix.chunks(8).enumerate() {
            let expected = turned[i / 2 + i % 2 * 4];
            assert!((dot(row, &side_by_side) - expected).abs() < 1e-5);
        }
    }
}
