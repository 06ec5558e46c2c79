//! The learning rate over time.

use serde::{Deserialize, Serialize};

/// Linear warm-up to a peak, then a decay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The highest learning rate.
    pub peak: f64,
    /// Steps until it is reached.
    pub warmup_steps: usize,
    /// The decay after the peak.
    pub decay: Decay,
}

/// A way of lowering the learning rate after its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// The rate stays at its peak.
    None,
    /// The rate falls with one over the square root of the step, as in "Attention Is All You Need".
    InverseSquareRoot,
    /// The rate falls as half a cosine, to a hundredth of the peak at the last step.
    Cosine,
}

impl Schedule {
    /// The learning rate at `step` (from 1) of `steps`.
    pub fn rate(&self, step: usize, steps: usize) -> f64 {
        let warmup = self.warmup_steps.max(1);
        if step < warmup {
            return self.peak * step as f64 / warmup as f64;
        }
        match self.decay {
            Decay::None => self.peak,
            Decay::InverseSquareRoot => self.peak * (warmup as f64 / step as f64).sqrt(),
            Decay::Cosine => {
                let progress = (step - warmup) as f64 / steps.saturating_sub(warmup).max(1) as f64;
                let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress.min(1.0)).cos());
                self.peak * (0.01 + 0.99 * cosine)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rises_to_the_peak_and_falls() {
        for decay in [Decay::InverseSquareRoot, Decay::Cosine] {
            let schedule = Schedule {
                peak: 2.0,
                warmup_steps: 10,
                decay,
            };
            assert_eq!(schedule.rate(5, 100), 1.0);
            assert_eq!(schedule.rate(10, 100), 2.0);
            assert!(schedule.rate(40, 100) < schedule.rate(11, 100));
        }
        let constant = Schedule {
            peak: 2.0,
            warmup_steps: 0,
            decay: Decay::None,
        };
        assert_eq!(constant.rate(1, 100), 2.0);
        assert_eq!(constant.rate(100, 100), 2.0);
        let inverse = Schedule {
            peak: 2.0,
            warmup_steps: 10,
            decay: Decay::InverseSquareRoot,
        };
        assert_eq!(inverse.rate(40, 100), 1.0);
        let cosine = Schedule {
            peak: 2.0,
            warmup_steps: 10,
            decay: Decay::Cosine,
        };
        assert!((cosine.rate(100, 100) - 0.02).abs() < 1e-9);
    }
}
