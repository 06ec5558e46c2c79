//! Random queries and keys, the same for the same seed on every machine.

use crate::positions::sinusoids::{Draw, Positions};
use attention_trace::positions::rope_decay;

/// The number of random pairs of a query and a key.
pub const DRAWS: usize = 6;

/// SplitMix64 (Steele, Lea and Flood 2014): small, and good enough for a picture.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a uniform number in 0…1, 0 excluded.
    fn uniform(&mut self) -> f32 {
        ((self.next() >> 40) + 1) as f32 / (1u64 << 24) as f32
    }

    /// Returns a standard normal number, by Box and Muller's transform.
    fn normal(&mut self) -> f32 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f32::consts::TAU * self.uniform()).cos()
    }

    fn pair(&mut self, width: usize, draw: Draw) -> (Vec<f32>, Vec<f32>) {
        let mut vector =
            |entry: fn(&mut Self) -> f32| -> Vec<f32> { (0..width).map(|_| entry(self)).collect() };
        match draw {
            Draw::Uniform => (vector(Self::uniform), vector(Self::uniform)),
            Draw::Normal => (vector(Self::normal), vector(Self::normal)),
            Draw::Same => {
                let query = vector(Self::normal);
                (query.clone(), query)
            }
        }
    }
}

/// Returns `q·k` against distance for [`DRAWS`] random pairs, with `q` at position 0 and `k` moving away.
pub fn random_decays(positions: &Positions) -> Vec<Vec<f32>> {
    let mut generator = Generator(u64::from(positions.seed));
    (0..DRAWS)
        .map(|_| {
            let (query, key) = generator.pair(positions.width, positions.draw);
            rope_decay(&query, &key, positions.distance + 1, positions.base as f32)
        })
        .collect()
}

/// The mean of curves of equal length.
pub fn mean(curves: &[Vec<f32>]) -> Vec<f32> {
    let length = curves.first().map_or(0, Vec::len);
    (0..length)
        .map(|x| curves.iter().map(|curve| curve[x]).sum::<f32>() / curves.len() as f32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(draw: Draw, seed: u32) -> Vec<Vec<f32>> {
        random_decays(&Positions {
            draw,
            seed,
            ..Positions::default()
        })
    }

    #[test]
    fn a_seed_draws_the_same_again() {
        assert_eq!(drawn(Draw::Normal, 7), drawn(Draw::Normal, 7));
        assert_ne!(drawn(Draw::Normal, 7), drawn(Draw::Normal, 8));
    }

    #[test]
    fn draws_have_the_moments_of_their_distribution() {
        let mut generator = Generator(3);
        let count = 20_000;
        let normal: Vec<f32> = (0..count).map(|_| generator.normal()).collect();
        let mean = normal.iter().sum::<f32>() / count as f32;
        let variance = normal.iter().map(|x| x * x).sum::<f32>() / count as f32;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
        let uniform = (0..count).map(|_| generator.uniform()).sum::<f32>() / count as f32;
        assert!((uniform - 0.5).abs() < 0.01);
    }

    #[test]
    fn vectors_with_something_in_common_grow_apart() {
        for draw in [Draw::Uniform, Draw::Same] {
            let mean = mean(&drawn(draw, 1));
            let far = mean[128..].iter().sum::<f32>() / mean[128..].len() as f32;
            assert!(far < 0.6 * mean[0], "{draw:?}: {} to {far}", mean[0]);
        }
    }

    #[test]
    fn a_curve_has_a_point_per_distance() {
        let curves = drawn(Draw::Uniform, 1);
        assert_eq!(curves.len(), DRAWS);
        assert_eq!(curves[0].len(), Positions::default().distance + 1);
        assert_eq!(mean(&[vec![1.0, 2.0], vec![3.0, 6.0]]), [2.0, 4.0]);
    }
}
