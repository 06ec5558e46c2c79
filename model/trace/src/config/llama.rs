//! The sizes of a decoder-only Transformer in Llama's layout.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_base, check_dropout,
    check_even, check_positive, check_sizes, check_tokens,
};
use crate::positions::{Buckets, PositionalEncoding};

/// `config.json` of a Llama checkpoint; the fields that shape the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlamaConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// Layers.
    pub num_hidden_layers: usize,
    /// Query heads of each layer.
    pub num_attention_heads: usize,
    /// Key and value heads of each layer; fewer than query heads in grouped-query attention.
    #[serde(default)]
    pub num_key_value_heads: Option<usize>,
    /// Width of a head, where it is not `hidden_size / num_attention_heads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// How the model knows positions; Llama's own way is RoPE.
    #[serde(default, skip_serializing_if = "is_rope")]
    pub positions: PositionalEncoding,
    /// Buckets of T5's bias.
    #[serde(default = "t5_buckets", skip_serializing_if = "is_t5_buckets")]
    pub relative_attention_num_buckets: usize,
    /// The distance from which all share the last of T5's buckets.
    #[serde(default = "t5_furthest", skip_serializing_if = "is_t5_furthest")]
    pub relative_attention_max_distance: usize,
    /// RMSNorm's ε.
    pub rms_norm_eps: f64,
    /// RoPE's base.
    #[serde(default = "rope_theta")]
    pub rope_theta: f32,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<RopeParameters>,
    /// RoPE's scaling as older checkpoints write it; none is implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<serde_json::Value>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// Whether the output matrix is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// What a sequence starts with.
    pub bos_token_id: u32,
    /// End of sentence.
    pub eos_token_id: u32,
    /// What the last token is that may be generated, where decoding comes so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_eos_token_id: Option<u32>,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
    /// Standard deviation of a new model's weights.
    #[serde(default = "initializer_range")]
    pub initializer_range: f64,
}

fn rope_theta() -> f32 {
    10_000.0
}

fn initializer_range() -> f64 {
    0.02
}

fn t5_buckets() -> usize {
    Buckets::CAUSAL.count
}

fn t5_furthest() -> usize {
    Buckets::CAUSAL.furthest
}

fn is_t5_buckets(count: &usize) -> bool {
    *count == t5_buckets()
}

fn is_t5_furthest(distance: &usize) -> bool {
    *distance == t5_furthest()
}

fn is_rope(positions: &PositionalEncoding) -> bool {
    *positions == PositionalEncoding::Rope
}

/// RoPE's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RopeParameters {
    /// RoPE's base.
    pub rope_theta: f32,
    /// The variant; only `default` is implemented.
    pub rope_type: String,
}

/// The 7B model of [LLaMA](https://arxiv.org/abs/2302.13971), table 2.
impl Default for LlamaConfig {
    fn default() -> Self {
        LlamaConfig {
            vocab_size: 32_000,
            hidden_size: 4096,
            intermediate_size: 11_008,
            num_hidden_layers: 32,
            num_attention_heads: 32,
            num_key_value_heads: None,
            head_dim: None,
            positions: PositionalEncoding::Rope,
            relative_attention_num_buckets: t5_buckets(),
            relative_attention_max_distance: t5_furthest(),
            rms_norm_eps: 1e-5,
            rope_theta: rope_theta(),
            rope_parameters: None,
            rope_scaling: None,
            max_position_embeddings: 2048,
            tie_word_embeddings: false,
            bos_token_id: 0,
            eos_token_id: 0,
            forced_eos_token_id: None,
            dropout: 0.0,
            initializer_range: initializer_range(),
        }
    }
}

impl LlamaConfig {
    /// RoPE's base.
    pub fn theta(&self) -> f32 {
        self.rope_parameters
            .as_ref()
            .map_or(self.rope_theta, |parameters| parameters.rope_theta)
    }

    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.head_dim
            .unwrap_or(self.hidden_size / self.num_attention_heads.max(1))
    }

    /// T5's buckets.
    pub fn buckets(&self) -> Buckets {
        Buckets {
            count: self.relative_attention_num_buckets,
            furthest: self.relative_attention_max_distance,
            ..Buckets::CAUSAL
        }
    }

    /// Key and value heads of each layer.
    pub fn key_value_heads(&self) -> usize {
        self.num_key_value_heads.unwrap_or(self.num_attention_heads)
    }

    /// Whether a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or a RoPE variant.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("hidden_size", self.hidden_size, WIDEST),
            ("intermediate_size", self.intermediate_size, WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_key_value_heads", self.key_value_heads(), MOST_HEADS),
            ("head_dim", self.head_dim(), WIDEST),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id),
                ("eos_token_id", self.eos_token_id),
                (
                    "forced_eos_token_id",
                    self.forced_eos_token_id.unwrap_or(self.eos_token_id),
                ),
            ],
            self.vocab_size,
        )?;
        let scaled = |parameters: &RopeParameters| parameters.rope_type != "default";
        let is_set = |scaling: &serde_json::Value| !scaling.is_null();
        if self.rope_parameters.as_ref().is_some_and(scaled)
            || self.rope_scaling.as_ref().is_some_and(is_set)
        {
            return Err(ConfigError::RopeScaling);
        }
        let (heads, groups) = (self.num_attention_heads, self.key_value_heads());
        if !heads.is_multiple_of(groups) {
            return Err(ConfigError::Groups { heads, groups });
        }
        check_even("head_dim", self.head_dim())?;
        if self.positions == PositionalEncoding::Sinusoidal {
            check_even("hidden_size", self.hidden_size)?;
        }
        let Buckets {
            count, furthest, ..
        } = self.buckets();
        if !(2..=LARGEST_TABLE).contains(&count) || furthest <= count / 2 {
            return Err(ConfigError::Buckets { count, furthest });
        }
        check_positive("initializer_range", self.initializer_range)?;
        check_positive("rms_norm_eps", self.rms_norm_eps)?;
        check_base("rope_theta", self.theta())?;
        check_dropout(self.dropout)
    }

    /// The parameters of queries and the way back, and of keys and values, of one layer.
    fn projections(&self) -> u64 {
        let query = matrix(self.hidden_size, self.num_attention_heads * self.head_dim());
        let key = matrix(self.hidden_size, self.key_value_heads() * self.head_dim());
        2 * query + 2 * key
    }

    /// The parameters of gate, up and down of one layer.
    fn feed_forward(&self) -> u64 {
        3 * matrix(self.hidden_size, self.intermediate_size)
    }

    /// The parameters of a model of these sizes. RoPE and every other formula for positions have none.
    pub fn parameters(&self) -> Parameters {
        let d = self.hidden_size;
        let table = matrix(self.vocab_size, d);
        let layer = Parameters::default()
            .and(Part::Attention, self.projections())
            .and(Part::FeedForward, self.feed_forward())
            .and(Part::Norms, 2 * d as u64);
        let positions = match self.positions {
            PositionalEncoding::Learned => matrix(self.max_position_embeddings, d),
            PositionalEncoding::T5 => matrix(self.buckets().count, self.num_attention_heads),
            _ => 0,
        };
        layer
            .times(self.num_hidden_layers)
            .and(Part::Embedding, table)
            .and(Part::Positions, positions)
            .and(Part::Norms, d as u64)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`.
    pub fn operations(&self, tokens: usize) -> Operations {
        let layers = self.num_hidden_layers;
        let width = self.num_attention_heads * self.head_dim();
        Operations {
            projections: Operations::product(tokens, self.projections() * layers as u64),
            feed_forward: Operations::product(tokens, self.feed_forward() * layers as u64),
            output: Operations::product(tokens, matrix(self.hidden_size, self.vocab_size)),
            scores: Operations::attention(tokens, width) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_are_named() {
        let refused = |change: fn(&mut LlamaConfig)| {
            let mut config = LlamaConfig::default();
            change(&mut config);
            config.validate().unwrap_err()
        };
        assert_eq!(LlamaConfig::default().validate(), Ok(()));
        assert_eq!(
            refused(|config| config.num_key_value_heads = Some(5)),
            ConfigError::Groups {
                heads: 32,
                groups: 5
            }
        );
        assert_eq!(
            refused(|config| config.num_attention_heads = 0).to_string(),
            "num_attention_heads is 0; it must be between 1 and 1024"
        );
        assert_eq!(
            refused(|config| config.head_dim = Some(3)).to_string(),
            "head_dim 3 must be even: positions pair its dimensions"
        );
        assert!(matches!(
            refused(|config| config.rms_norm_eps = f64::NAN),
            ConfigError::Rate { .. }
        ));
        for theta in [f32::NAN, f32::INFINITY, 0.0, -1e4] {
            let config = LlamaConfig {
                rope_theta: theta,
                ..LlamaConfig::default()
            };
            let refused = config.validate().unwrap_err().to_string();
            assert!(refused.starts_with("rope_theta is "), "{refused}");
        }
        assert_eq!(
            refused(|config| config.rms_norm_eps = 1e300).to_string(),
            format!(
                "rms_norm_eps is {}; it must be positive and finite as a 32-bit number",
                1e300
            )
        );
        assert_eq!(
            refused(|config| config.forced_eos_token_id = Some(32_000)).to_string(),
            "forced_eos_token_id is 32000, but vocab_size is 32000"
        );
        assert_eq!(
            refused(|config| config.rope_scaling = Some(serde_json::json!({"factor": 2}))),
            ConfigError::RopeScaling
        );
    }

    #[test]
    fn operations_follow_the_formulas_of_the_documentation() {
        let config = LlamaConfig::default();
        let (n, d, f, v, layers) = (100.0, 4096.0, 11_008.0, 32_000.0, 32.0);
        let operations = config.operations(100);
        let linear = 2.0 * n * (layers * (4.0 * d * d + 3.0 * d * f) + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 4.0 * n * n * d * layers);
    }

    #[test]
    fn shared_keys_and_values_save_parameters_and_operations_but_no_scores() {
        let grouped = LlamaConfig {
            num_key_value_heads: Some(8),
            ..LlamaConfig::default()
        };
        let full = LlamaConfig::default();
        let saved = full.parameters().total() - grouped.parameters().total();
        // Of 32 key and value heads 24, each 128 wide, in 32 layers.
        assert_eq!(saved, 32 * 2 * 4096 * 24 * 128);
        let (full, grouped) = (full.operations(7), grouped.operations(7));
        assert_eq!(full.linear() - grouped.linear(), 2.0 * 7.0 * saved as f64);
        assert_eq!(full.scores, grouped.scores);
    }
}
