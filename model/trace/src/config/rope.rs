//! RoPE as a checkpoint's `config.json` describes it, and RoPE beyond the length it was trained
//! for.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_positive};
use crate::positions::{Ramp, RopeScaling, ScaledRope};

/// RoPE's parameters, under `rope_parameters` or, in older files, under `rope_scaling`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RopeParameters {
    /// RoPE's base; older files have it outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_theta: Option<f32>,
    /// The way: `default`, `linear`, `dynamic`, `yarn` or `llama3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_type: Option<String>,
    /// The same as the oldest files call it. Some files have both.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub old_type: Option<String>,
    /// The reach as a multiple of the training length; 1 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// Positions in training, where `max_position_embeddings` says how far it reaches now: YaRN, Llama 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_max_position_embeddings: Option<usize>,
    /// YaRN: the factor of cosines and sines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention_factor: Option<f64>,
    /// YaRN: weight of the factor's logarithm in what they are multiplied by, together with `mscale_all_dim`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mscale: Option<f64>,
    /// YaRN: the same in what that is divided by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mscale_all_dim: Option<f64>,
    /// YaRN: turns from which a pair stays as it is, usually 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_fast: Option<f64>,
    /// YaRN: turns up to which a pair is stretched fully, usually 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_slow: Option<f64>,
    /// YaRN: true if the bounds between those pairs are rounded to whole pairs, as they usually are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncate: Option<bool>,
    /// Llama 3: as `beta_slow`, usually 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_freq_factor: Option<f64>,
    /// Llama 3: as `beta_fast`, usually 4; larger than `low_freq_factor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_freq_factor: Option<f64>,
    /// LongRoPE: the factor of each pair's wavelength in texts up to `original_max_position_embeddings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_factor: Option<Vec<f64>>,
    /// LongRoPE: the same in longer texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_factor: Option<Vec<f64>>,
    /// The parameters of layers without a window, where `config.json` has them by the type of layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_attention: Option<Box<RopeParameters>>,
    /// The parameters of layers with a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sliding_attention: Option<Box<RopeParameters>>,
    /// The share of a head's dimensions that is turned, the first ones; in most families only all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_rotary_factor: Option<f64>,
}

/// RoPE as a model computes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// The base of the wavelengths.
    pub base: f32,
    /// The change of the wavelengths.
    pub scaled: ScaledRope,
    /// The factor that cosines and sines are multiplied by; 1 in all ways but YaRN and LongRoPE.
    pub attention_factor: f64,
    /// LongRoPE's factor of each pair's wavelength; empty in the other ways.
    pub factors: Vec<f64>,
}

impl Rope {
    /// RoPE as in training.
    pub fn plain(base: f32) -> Self {
        Self::stretched(base, RopeScaling::None, 1.0, 1)
    }

    /// RoPE that reaches `factor` times as far as the `trained` positions, by a way as it was published: YaRN also
    /// sharpens attention, its temperature.
    pub fn stretched(base: f32, scaling: RopeScaling, factor: f64, trained: usize) -> Self {
        let attention_factor = match scaling {
            RopeScaling::Yarn => yarn_factor(1.0, factor),
            _ => 1.0,
        };
        Rope {
            base,
            scaled: ScaledRope {
                scaling,
                factor,
                trained,
                ramp: scaling.ramp(),
            },
            attention_factor,
            factors: vec![],
        }
    }

    fn with_ramp(self, ramp: Ramp) -> Self {
        Rope {
            scaled: ScaledRope {
                ramp,
                ..self.scaled
            },
            ..self
        }
    }

    /// Positions per radian of each of `width / 2` pairs of dimensions, fastest first.
    pub fn wavelengths(&self, width: usize) -> Vec<f64> {
        let mut wavelengths = self.scaled.wavelengths(width, self.base);
        for (wavelength, factor) in wavelengths.iter_mut().zip(&self.factors) {
            *wavelength *= factor;
        }
        wavelengths
    }
}

impl RopeParameters {
    /// The way; `default` where none is named.
    pub fn way(&self) -> &str {
        let named = self.rope_type.as_deref().or(self.old_type.as_deref());
        named.unwrap_or("default")
    }

    /// Returns the reach of the dynamic way as a multiple of the training length; `None` for the
    /// other ways.
    pub(super) fn dynamic_factor(&self) -> Option<f64> {
        self.factor.filter(|_| self.way() == "dynamic")
    }

    /// RoPE in a pass that ends at `length` tokens, of a model whose `max_position_embeddings` is `longest`.
    ///
    /// # Errors
    /// If the way is not implemented, or lacks a number.
    pub(super) fn rope(
        &self,
        base: f32,
        longest: usize,
        length: usize,
    ) -> Result<Rope, ConfigError> {
        let trained = self.original_max_position_embeddings.unwrap_or(longest);
        match self.way() {
            "default" => Ok(Rope::plain(base)),
            "linear" => {
                let factor = self.factor()?;
                Ok(Rope::stretched(base, RopeScaling::Linear, factor, longest))
            }
            "dynamic" => {
                let factor = dynamic(self.factor()?, longest, length);
                Ok(Rope::stretched(base, RopeScaling::Ntk, factor, longest))
            }
            "yarn" => self.yarn(base, longest, trained),
            "llama3" => self.llama3(base, trained),
            other => Err(ConfigError::Unsupported {
                name: "rope_type",
                value: other.into(),
                implemented: "one of default, linear, dynamic, yarn, llama3",
            }),
        }
    }

    /// Refuses a share of a head's dimensions other than all.
    ///
    /// # Errors
    /// If RoPE rotates a part of the dimensions.
    pub(super) fn check_whole(&self) -> Result<(), ConfigError> {
        only(
            "partial_rotary_factor",
            self.partial_rotary_factor,
            1.0,
            "1",
        )
    }

    fn yarn(&self, base: f32, longest: usize, trained: usize) -> Result<Rope, ConfigError> {
        // `transformers` takes 0 for "not given" here.
        let given = |turns: Option<f64>| turns.filter(|turns| *turns != 0.0);
        let usual = RopeScaling::Yarn.ramp();
        let ramp = Ramp {
            fast_turns: given(self.beta_fast).unwrap_or(usual.fast_turns),
            slow_turns: given(self.beta_slow).unwrap_or(usual.slow_turns),
            truncates: self.truncate.unwrap_or(usual.truncates),
        };
        check_positive("beta_fast", ramp.fast_turns)?;
        check_positive("beta_slow", ramp.slow_turns)?;
        let factor = match self.factor {
            Some(_) => self.factor()?,
            None => longest as f64 / trained as f64,
        };
        let attention_factor = self.attention_factor(factor);
        check_positive("attention_factor", attention_factor)?;
        let rope = Rope::stretched(base, RopeScaling::Yarn, factor, trained);
        Ok(Rope {
            attention_factor,
            ..rope.with_ramp(ramp)
        })
    }

    /// Returns the factor that YaRN multiplies cosines and sines by.
    fn attention_factor(&self, factor: f64) -> f64 {
        let of = |scale| yarn_factor(scale, factor);
        match (self.attention_factor, self.mscale, self.mscale_all_dim) {
            (Some(given), _, _) => given,
            (None, Some(above), Some(below)) if above != 0.0 && below != 0.0 => {
                of(above) / of(below)
            }
            _ => of(1.0),
        }
    }

    fn llama3(&self, base: f32, trained: usize) -> Result<Rope, ConfigError> {
        let given = |name, turns: Option<f64>| turns.ok_or_else(|| self.missing(name));
        let low = given("low_freq_factor", self.low_freq_factor)?;
        let high = given("high_freq_factor", self.high_freq_factor)?;
        check_positive("low_freq_factor", low)?;
        check_positive("high_freq_factor", high)?;
        if high <= low {
            return Err(ConfigError::Rate {
                name: "high_freq_factor",
                value: high,
                allowed: "larger than low_freq_factor",
            });
        }
        let factor = self.factor()?;
        let rope = Rope::stretched(base, RopeScaling::Llama3, factor, trained);
        Ok(rope.with_ramp(Ramp {
            fast_turns: high,
            slow_turns: low,
            ..RopeScaling::Llama3.ramp()
        }))
    }

    /// LongRoPE ([Ding et al. 2024](https://arxiv.org/abs/2402.13753)) in a pass that ends at `length` tokens, of a model
    /// that was trained on texts of up to `trained` tokens, reaches `longest` and rotates `width` dimensions of a head.
    ///
    /// # Errors
    /// If there are not two factors for each pair of dimensions.
    pub(super) fn longrope(
        &self,
        base: f32,
        [trained, longest, length]: [usize; 3],
        width: usize,
    ) -> Result<Rope, ConfigError> {
        let short = self.of_pairs("short_factor", self.short_factor.as_ref(), width)?;
        let long = self.of_pairs("long_factor", self.long_factor.as_ref(), width)?;
        let factors = if length > trained { long } else { short };
        let factor = self.factor.unwrap_or(longest as f64 / trained as f64);
        let by_length = match factor <= 1.0 {
            true => 1.0,
            false => (1.0 + factor.ln() / (trained as f64).ln()).sqrt(),
        };
        let attention_factor = self.attention_factor.unwrap_or(by_length);
        check_positive("attention_factor", attention_factor)?;
        Ok(Rope {
            attention_factor,
            factors: factors.to_vec(),
            ..Rope::plain(base)
        })
    }

    /// Checks that a list has a positive number for each pair of `width` dimensions, and returns it.
    fn of_pairs<'a>(
        &self,
        name: &'static str,
        factors: Option<&'a Vec<f64>>,
        width: usize,
    ) -> Result<&'a [f64], ConfigError> {
        let factors = factors.ok_or_else(|| self.missing(name))?;
        if factors.len() != width / 2 {
            return Err(ConfigError::Pairs {
                name,
                entries: factors.len(),
                pairs: width / 2,
            });
        }
        factors
            .iter()
            .try_for_each(|factor| check_positive(name, *factor))?;
        Ok(factors)
    }

    fn factor(&self) -> Result<f64, ConfigError> {
        let factor = self.factor.ok_or_else(|| self.missing("factor"))?;
        if factor >= 1.0 && factor.is_finite() {
            return Ok(factor);
        }
        Err(ConfigError::Rate {
            name: "factor",
            value: factor,
            allowed: "a finite number, at least 1",
        })
    }

    fn missing(&self, name: &'static str) -> ConfigError {
        ConfigError::Missing {
            way: self.way().into(),
            name,
        }
    }
}

/// Returns the factor that YaRN multiplies cosines and sines by, for RoPE stretched `factor` times
/// ([Peng et al. 2023](https://arxiv.org/abs/2309.00071), equation 22).
fn yarn_factor(scale: f64, factor: f64) -> f64 {
    match factor <= 1.0 {
        true => 1.0,
        false => 0.1 * scale * factor.ln() + 1.0,
    }
}

/// Returns the factor by which the dynamic way extends the reach in a pass that ends at `length`
/// tokens: 1 up to `longest`.
fn dynamic(factor: f64, longest: usize, length: usize) -> f64 {
    factor * length.max(longest) as f64 / longest as f64 - (factor - 1.0)
}

/// Refuses a number other than the one that is implemented.
fn only(
    name: &'static str,
    value: Option<f64>,
    implemented: f64,
    written: &'static str,
) -> Result<(), ConfigError> {
    match value {
        Some(value) if value != implemented => Err(ConfigError::Unsupported {
            name,
            value: value.to_string(),
            implemented: written,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rope(parameters: Value, length: usize) -> Result<Rope, ConfigError> {
        let parameters: RopeParameters = serde_json::from_value(parameters).unwrap();
        parameters.rope(10_000.0, 64, length)
    }

    #[test]
    fn published_ways_are_read() {
        // Llama 3.1, Qwen2.5 and Vicuna 16k.
        let llama = rope(
            json!({
                "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 8192, "rope_type": "llama3"
            }),
            1,
        )
        .unwrap();
        assert_eq!(llama.scaled.scaling, RopeScaling::Llama3);
        assert_eq!((llama.scaled.factor, llama.scaled.trained), (8.0, 8192));
        let qwen = rope(
            json!({"factor": 4.0, "original_max_position_embeddings": 32_768, "type": "yarn"}),
            1,
        )
        .unwrap();
        assert_eq!(qwen.scaled.scaling, RopeScaling::Yarn);
        assert!((qwen.attention_factor - (0.1 * 4f64.ln() + 1.0)).abs() < 1e-12);
        let vicuna = rope(
            json!({"factor": 4.0, "type": "linear", "rope_type": "linear"}),
            1,
        );
        assert_eq!(vicuna.unwrap().scaled.scaling, RopeScaling::Linear);
        assert_eq!(rope(json!({}), 1).unwrap(), Rope::plain(10_000.0));
    }

    #[test]
    fn the_dynamic_way_begins_beyond_the_longest_sequence() {
        let at = |length| {
            let parameters = json!({"rope_type": "dynamic", "factor": 2.0});
            rope(parameters, length).unwrap().wavelengths(12)
        };
        let plain = Rope::plain(10_000.0).wavelengths(12);
        assert_eq!(at(1), plain);
        assert_eq!(at(64), plain);
        // 2·96/64 − 1 times as far.
        assert!((at(96)[5] / plain[5] - 2.0).abs() < 1e-9);
    }

    #[test]
    fn yarns_factor_on_attention_can_be_given_in_three_ways() {
        let factor = |more: Value| {
            let mut parameters = json!({"rope_type": "yarn", "factor": 40.0});
            parameters
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            rope(parameters, 1).unwrap().attention_factor
        };
        assert_eq!(factor(json!({"attention_factor": 0.5})), 0.5);
        assert_eq!(factor(json!({"mscale": 0.7, "mscale_all_dim": 0.7})), 1.0);
        assert!((factor(json!({})) - (0.1 * 40f64.ln() + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn yarn_without_a_factor_has_the_ratio_of_its_lengths() {
        let parameters = json!({"rope_type": "yarn", "original_max_position_embeddings": 16});
        assert_eq!(rope(parameters, 1).unwrap().scaled.factor, 4.0);
    }

    #[test]
    fn what_is_not_implemented_or_missing_is_named() {
        for (parameters, words) in [
            (json!({"rope_type": "longrope"}), "rope_type is longrope"),
            (json!({"rope_type": "linear"}), "linear needs factor"),
            (
                json!({"rope_type": "linear", "factor": 0.5}),
                "factor is 0.5",
            ),
            (
                json!({"rope_type": "yarn", "factor": 4.0, "beta_fast": -8.0}),
                "beta_fast is -8",
            ),
            (
                json!({"rope_type": "yarn", "factor": 4.0, "attention_factor": 0.0}),
                "attention_factor is 0",
            ),
            (
                json!({
                    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 4.0
                }),
                "high_freq_factor is 4; it must be larger than low_freq_factor",
            ),
            (
                json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0}),
                "llama3 needs high_freq_factor",
            ),
        ] {
            let refused = rope(parameters, 1).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
