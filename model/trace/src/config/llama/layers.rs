//! Differences between the layers of a model in Llama's layout: sliding windows, and layers without RoPE.

use serde::{Deserialize, Serialize};

use super::{Convention, LlamaConfig};
use crate::LayerAttention;
use crate::config::error::{ConfigError, check_sizes};

/// The attention of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerType {
    /// A query sees all keys up to its own.
    FullAttention,
    /// A query sees the keys of a window.
    SlidingAttention,
}

/// Every so many of Gemma 3's layers are without a window if `config.json` does not say so.
const WITHOUT_WINDOW: usize = 6;
/// The window of Mistral, Qwen and Gemma if `config.json` does not give it.
const WINDOW: usize = 4096;
/// The first of Qwen's layers with a window if `config.json` does not give it.
const FIRST_WINDOW: usize = 28;
/// Every so many of SmolLM3's layers are without RoPE if `config.json` does not say so.
const WITHOUT_ROPE: usize = 4;

impl LlamaConfig {
    /// Returns the self-attention of each layer; empty if all layers have the usual one.
    pub fn layer_attention(&self) -> Vec<LayerAttention> {
        let layers = (0..self.num_hidden_layers).map(|layer| LayerAttention {
            window: self.window(layer),
            rotates: self.rotates(layer),
            rope_theta: self.own_theta(layer),
            divisor: self.score_divisor(),
            normalises: true,
        });
        let layers: Vec<LayerAttention> = layers.collect();
        match layers
            .iter()
            .all(|layer| *layer == LayerAttention::default())
        {
            true => vec![],
            false => layers,
        }
    }

    /// Returns the number of keys up to its own that a query of the layer sees; `None` if it sees all of them.
    pub fn window(&self, layer: usize) -> Option<usize> {
        let slides = match self.convention {
            Convention::Llama | Convention::Olmo2 => false,
            Convention::Mistral | Convention::Phi3 => true,
            Convention::Qwen2 | Convention::Qwen3 => {
                let first = self.max_window_layers.unwrap_or(FIRST_WINDOW);
                self.use_sliding_window && self.slides(layer, layer >= first)
            }
            Convention::SmolLM3 => {
                self.use_sliding_window && self.slides(layer, !self.rotates(layer))
            }
            Convention::Gemma2 => self.slides(layer, layer.is_multiple_of(2)),
            Convention::Gemma3 => {
                let pattern = self.sliding_window_pattern.unwrap_or(WITHOUT_WINDOW);
                self.slides(layer, !(layer + 1).is_multiple_of(pattern))
            }
        };
        slides.then(|| self.sliding_window()).flatten()
    }

    fn sliding_window(&self) -> Option<usize> {
        let absent = match self.convention {
            Convention::SmolLM3 | Convention::Phi3 => None,
            _ => Some(WINDOW),
        };
        self.sliding_window.unwrap_or(absent)
    }

    /// True if `layer_types` gives the layer a window; without it, `by_default`.
    fn slides(&self, layer: usize, by_default: bool) -> bool {
        let kind = self.layer_types.as_ref().and_then(|types| types.get(layer));
        kind.map_or(by_default, |kind| *kind == LayerType::SlidingAttention)
    }

    /// Returns RoPE's base in the layer if layers have different ones, and it alone determines the angles.
    fn own_theta(&self, layer: usize) -> Option<f32> {
        let (base, local) = (self.theta(), self.local_theta());
        let is_own = base != local && !self.stretches_rope();
        is_own.then(|| match self.window(layer) {
            Some(_) => local,
            None => base,
        })
    }

    /// True if RoPE rotates the layer's queries and keys.
    pub fn rotates(&self, layer: usize) -> bool {
        if self.convention != Convention::SmolLM3 {
            return true;
        }
        let listed = self
            .no_rope_layers
            .as_ref()
            .and_then(|list| list.get(layer));
        listed.map_or_else(
            || {
                let interval = self.no_rope_layer_interval.unwrap_or(WITHOUT_ROPE);
                !(layer + 1).is_multiple_of(interval)
            },
            |flag| *flag != 0,
        )
    }

    /// Checks the entries that tell layers apart.
    ///
    /// # Errors
    /// If a list is not as long as there are layers, a window is out of reason, or `layer_types` contradicts the
    /// model's convention.
    pub(super) fn check_layers(&self) -> Result<(), ConfigError> {
        let layers = self.num_hidden_layers;
        let windows: Vec<Option<usize>> = (0..layers).map(|layer| self.window(layer)).collect();
        if let Some(types) = &self.layer_types {
            check_entries("layer_types", types.len(), layers)?;
            let slides = |kind: &LayerType| *kind == LayerType::SlidingAttention;
            let mut pairs = types.iter().zip(&windows);
            if pairs.any(|(kind, window)| slides(kind) != window.is_some()) {
                return Err(ConfigError::LayerTypes {
                    model_type: self.convention.model_type(),
                });
            }
        }
        if let Some(list) = &self.no_rope_layers {
            check_entries("no_rope_layers", list.len(), layers)?;
        }
        for (name, interval) in [
            ("no_rope_layer_interval", self.no_rope_layer_interval),
            ("sliding_window_pattern", self.sliding_window_pattern),
        ] {
            if let Some(interval) = interval {
                check_sizes(&[(name, interval, usize::MAX)])?;
            }
        }
        let sizes = windows.into_iter().flatten();
        sizes
            .map(|window| ("sliding_window", window, usize::MAX))
            .try_for_each(|size| check_sizes(&[size]))
    }
}

/// Refuses a list that has not an entry for each layer.
fn check_entries(name: &'static str, entries: usize, layers: usize) -> Result<(), ConfigError> {
    match entries == layers {
        true => Ok(()),
        false => Err(ConfigError::Entries {
            name,
            entries,
            layers,
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A model of four layers.
    fn config(model_type: &str, more: Value) -> LlamaConfig {
        let mut json = serde_json::to_value(LlamaConfig {
            num_hidden_layers: 4,
            rope_theta: None,
            ..LlamaConfig::default()
        })
        .unwrap();
        let entries = json.as_object_mut().unwrap();
        entries.insert("model_type".into(), model_type.into());
        entries.extend(more.as_object().unwrap().clone());
        serde_json::from_value(json).unwrap()
    }

    fn windows(model_type: &str, more: Value) -> Vec<Option<usize>> {
        let config = config(model_type, more);
        assert_eq!(config.validate(), Ok(()));
        (0..4).map(|layer| config.window(layer)).collect()
    }

    #[test]
    fn windows_are_where_the_conventions_put_them() {
        assert_eq!(windows("llama", json!({"sliding_window": 3})), [None; 4]);
        assert_eq!(
            windows("mistral", json!({"sliding_window": 3})),
            [Some(3); 4]
        );
        assert_eq!(
            windows("mistral", json!({"sliding_window": null})),
            [None; 4]
        );
        assert_eq!(windows("mistral", json!({})), [Some(WINDOW); 4]);
        let unused = json!({"sliding_window": 3, "max_window_layers": 2});
        assert_eq!(windows("qwen2", unused), [None; 4]);
        let upper =
            json!({"sliding_window": 3, "max_window_layers": 2, "use_sliding_window": true});
        assert_eq!(windows("qwen2", upper), [None, None, Some(3), Some(3)]);
        let listed = json!({
            "sliding_window": 3, "use_sliding_window": true,
            "layer_types": ["sliding_attention", "full_attention", "full_attention", "sliding_attention"],
        });
        assert_eq!(windows("qwen3", listed), [Some(3), None, None, Some(3)]);
    }

    #[test]
    fn every_fourth_layer_of_smollm3_is_without_rope_or_those_listed() {
        let rotates = |more| {
            let config = config("smollm3", more);
            assert_eq!(config.validate(), Ok(()));
            [0, 1, 2, 3].map(|layer| config.rotates(layer))
        };
        assert_eq!(rotates(json!({})), [true, true, true, false]);
        let every_second = json!({"no_rope_layer_interval": 2});
        assert_eq!(rotates(every_second), [true, false, true, false]);
        let listed = json!({"no_rope_layers": [0, 1, 1, 0], "no_rope_layer_interval": 2});
        assert_eq!(rotates(listed), [false, true, true, false]);
        assert_eq!(config("smollm3", json!({})).theta(), 2e6);
        let sliding = json!({"use_sliding_window": true, "sliding_window": 5});
        assert_eq!(windows("smollm3", sliding), [None, None, None, Some(5)]);
    }

    #[test]
    fn gemmas_windows_alternate() {
        let sliding = json!({"sliding_window": 3});
        assert_eq!(
            windows("gemma2", sliding.clone()),
            [Some(3), None, Some(3), None]
        );
        let pattern = json!({"sliding_window": 3, "_sliding_window_pattern": 3});
        assert_eq!(
            windows("gemma3_text", pattern),
            [Some(3), Some(3), None, Some(3)]
        );
        assert_eq!(windows("phi3", json!({})), [None; 4]);
        assert_eq!(windows("olmo2", sliding), [None; 4]);
    }

    #[test]
    fn entries_that_do_not_fit_the_layers_are_named() {
        let refused =
            |model_type, more| config(model_type, more).validate().unwrap_err().to_string();
        assert_eq!(
            refused("mistral", json!({"sliding_window": 0})),
            format!(
                "sliding_window is 0; it must be between 1 and {}",
                usize::MAX
            )
        );
        assert_eq!(
            refused("qwen2", json!({"layer_types": ["full_attention"]})),
            "layer_types has 1 entries for 4 layers"
        );
        assert_eq!(
            refused("smollm3", json!({"no_rope_layers": [1, 1, 1]})),
            "no_rope_layers has 3 entries for 4 layers"
        );
        assert!(
            refused("smollm3", json!({"no_rope_layer_interval": 0}))
                .starts_with("no_rope_layer_interval is 0")
        );
        let types = json!({"layer_types": ["sliding_attention", "full_attention", "full_attention", "full_attention"]});
        for model_type in ["llama", "mistral", "qwen2"] {
            let refused = refused(model_type, types.clone());
            assert!(refused.starts_with("layer_types does not fit"), "{refused}");
        }
    }
}
