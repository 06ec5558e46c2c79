//! Dropout with its own random number generator.

use burn::tensor::{Tensor, TensorData};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Dropout that is the same for the same seed on every device and thread, which burn's own, drawing from one generator
/// per device, does not guarantee.
pub struct Dropout {
    rate: f64,
    rng: SmallRng,
}

impl Dropout {
    /// Creates dropout with probability `rate`; `None` if that is zero.
    pub fn new(rate: f64, seed: u64) -> Option<Self> {
        (rate > 0.0).then(|| Dropout {
            rate,
            rng: SmallRng::seed_from_u64(seed),
        })
    }

    /// Drops values of `x`, and scales the others up to compensate.
    pub fn apply<const D: usize>(&mut self, x: Tensor<D>) -> Tensor<D> {
        // A value is dropped or kept by sixteen random bits: four values a draw.
        let threshold = (self.rate * f64::from(1 << 16)).round() as u64;
        let kept = (1.0 / (1.0 - self.rate)) as f32;
        let count = x.shape().num_elements();
        let mut mask = Vec::with_capacity(count + 3);
        while mask.len() < count {
            let bits = self.rng.next_u64();
            mask.extend([0, 16, 32, 48].map(|shift| {
                if (bits >> shift) & 0xffff < threshold {
                    0.0
                } else {
                    kept
                }
            }));
        }
        mask.truncate(count);
        let mask = Tensor::from_data(TensorData::new(mask, x.shape()), &x.device());
        x * mask
    }
}
