//! Ways to make RoPE reach further than it was trained: other wavelengths for its pairs of dimensions.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::wavelengths;

/// A way of changing RoPE's wavelengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RopeScaling {
    /// The wavelengths stay unchanged.
    #[default]
    None,
    /// Every position is divided by the factor: position interpolation
    /// ([Chen et al. 2023](https://arxiv.org/abs/2306.15595)).
    Linear,
    /// A larger base: the slowest pair is stretched by the factor, the fastest not at all
    /// ("NTK-aware", bloc97 2023).
    Ntk,
    /// Pairs that turn often stay, pairs that do not turn once are stretched, those between in part
    /// ([Peng et al. 2023](https://arxiv.org/abs/2309.00071)).
    Yarn,
    /// Llama 3's way: as YaRN, with other bounds and another transition
    /// ([Llama Team 2024](https://arxiv.org/abs/2407.21783)).
    Llama3,
}

impl RopeScaling {
    /// All ways of scaling.
    pub const ALL: [RopeScaling; 5] = [
        RopeScaling::None,
        RopeScaling::Linear,
        RopeScaling::Ntk,
        RopeScaling::Yarn,
        RopeScaling::Llama3,
    ];
}

/// The bounds between pairs that stay as they are and pairs that are stretched fully, in YaRN and in Llama 3's way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// A pair stays as it is if it turns this often within the trained length.
    pub fast_turns: f64,
    /// A pair is stretched fully if it turns this often or less.
    pub slow_turns: f64,
    /// True if YaRN rounds the bounds to whole pairs.
    pub truncates: bool,
}

impl RopeScaling {
    /// Returns the bounds that the way was published with.
    pub fn ramp(self) -> Ramp {
        Ramp {
            fast_turns: if self == RopeScaling::Llama3 {
                4.0
            } else {
                32.0
            },
            slow_turns: 1.0,
            truncates: true,
        }
    }
}

/// RoPE that is to reach `factor` times as far as the `trained` positions it learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledRope {
    /// The way of scaling.
    pub scaling: RopeScaling,
    /// The reach as a multiple of the training length.
    pub factor: f64,
    /// The number of positions in training.
    pub trained: usize,
    /// The bounds of the pairs that are stretched in part.
    pub ramp: Ramp,
}

impl ScaledRope {
    /// Positions per radian of each of `width / 2` pairs of dimensions, fastest first, as
    /// `ROPE_INIT_FUNCTIONS` of `transformers` have them (one over its `inv_freq`).
    pub fn wavelengths(self, width: usize, base: f32) -> Vec<f64> {
        let plain = wavelengths(width, base);
        match self.scaling {
            RopeScaling::None => plain,
            RopeScaling::Linear => plain.iter().map(|length| length * self.factor).collect(),
            RopeScaling::Ntk => {
                let d = width as f64;
                let base = f64::from(base) * self.factor.powf(d / (d - 2.0));
                let pairs = 0..width / 2;
                pairs.map(|pair| base.powf(2.0 * pair as f64 / d)).collect()
            }
            RopeScaling::Yarn => {
                let kept = self.kept_by_yarn(width, base);
                self.blended(&plain, |pair, _| kept(pair))
            }
            RopeScaling::Llama3 => self.blended(&plain, |_, length| self.kept_by_llama3(length)),
        }
    }

    /// Each pair's frequency is `kept` of the plain one and, for the rest, the stretched one.
    fn blended(self, plain: &[f64], kept: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let blend = |(pair, &length): (usize, &f64)| {
            let kept = kept(pair, length);
            length / (kept + (1.0 - kept) / self.factor)
        };
        plain.iter().enumerate().map(blend).collect()
    }

    /// 1 up to the pair that turns `fast_turns` times within the trained length, 0 from the pair on that turns
    /// `slow_turns` times, and a straight line of pairs between.
    fn kept_by_yarn(self, width: usize, base: f32) -> impl Fn(usize) -> f64 {
        let pair_that_turns = |turns: f64| {
            let length = self.trained as f64 / (turns * TAU);
            width as f64 * length.ln() / (2.0 * f64::from(base).ln())
        };
        let bounds = [self.ramp.fast_turns, self.ramp.slow_turns].map(pair_that_turns);
        let [first, last] = match (self.ramp.truncates, bounds) {
            (true, [first, last]) => [first.floor(), last.ceil()],
            (false, bounds) => bounds,
        };
        let (first, last) = (first.max(0.0), last.min(width as f64 - 1.0));
        // The reference's way around a division by zero.
        let extent = if first == last { 0.001 } else { last - first };
        move |pair| 1.0 - ((pair as f64 - first) / extent).clamp(0.0, 1.0)
    }

    /// The same by turns instead of pairs.
    fn kept_by_llama3(self, length: f64) -> f64 {
        let turns = self.trained as f64 / (length * TAU);
        let extent = self.ramp.fast_turns - self.ramp.slow_turns;
        ((turns - self.ramp.slow_turns) / extent).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scaled(scaling: RopeScaling, factor: f64) -> Vec<f64> {
        let rope = ScaledRope {
            scaling,
            factor,
            trained: 4096,
            ramp: scaling.ramp(),
        };
        rope.wavelengths(64, 10_000.0)
    }

    #[test]
    fn all_but_linear_leave_the_fastest_pair_and_all_stretch_the_slowest_fully() {
        let plain = scaled(RopeScaling::None, 4.0);
        for scaling in RopeScaling::ALL.into_iter().skip(1) {
            let changed = scaled(scaling, 4.0);
            let ratio = |pair: usize| changed[pair] / plain[pair];
            let fastest = if scaling == RopeScaling::Linear {
                4.0
            } else {
                1.0
            };
            assert!((ratio(0) - fastest).abs() < 1e-9, "{scaling:?}");
            assert!((ratio(31) - 4.0).abs() < 1e-9, "{scaling:?}");
        }
    }

    proptest! {
        #[test]
        fn a_factor_of_one_changes_nothing_and_more_never_shortens(factor in 1f64..32.0) {
            let plain = scaled(RopeScaling::None, 1.0);
            for scaling in RopeScaling::ALL {
                for (a, b) in scaled(scaling, 1.0).iter().zip(&plain) {
                    prop_assert!((a / b - 1.0).abs() < 1e-9);
                }
                for (a, b) in scaled(scaling, factor).iter().zip(&plain) {
                    prop_assert!(a / b > 1.0 - 1e-9 && a / b < factor + 1e-9);
                }
            }
        }
    }
}
