//! The sizes of a decoder-only Transformer in Llama's layout: the reading of `config.json`, and its checks.

mod count;

use serde::{Deserialize, Serialize};

use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_base, check_buckets,
    check_dropout, check_epsilon, check_even, check_scale, check_sizes, check_switches,
    check_tokens,
};
use super::rope::{Rope, RopeParameters};
use super::tokens::Tokens;
use crate::positions::{Buckets, PositionalEncoding};

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Convention {
    /// `LlamaForCausalLM`: biases if `attention_bias` and `mlp_bias` are set.
    #[default]
    Llama,
    /// `Qwen2ForCausalLM`: queries, keys and values always have a bias, nothing else has.
    Qwen2,
    /// `Qwen3ForCausalLM`: queries and keys are normalised, head by head, before they are turned; biases of all
    /// four projections where `attention_bias` says so.
    Qwen3,
}

impl Convention {
    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            Convention::Llama => "llama",
            Convention::Qwen2 => "qwen2",
            Convention::Qwen3 => "qwen3",
        }
    }
}

/// The width of a head in Qwen3 if `config.json` does not give it.
const QWEN3_HEAD_DIM: usize = 128;

/// `config.json` of a Llama checkpoint; the fields that shape the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlamaConfig {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type", default, skip_serializing_if = "is_llama")]
    pub convention: Convention,
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// Query heads of each layer.
    pub num_attention_heads: usize,
    /// Key and value heads of each layer; fewer than query heads in grouped-query attention.
    #[serde(default)]
    pub num_key_value_heads: Option<usize>,
    /// Width of a head, where it is not `hidden_size / num_attention_heads` (in Qwen3, 128).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// The way of encoding positions; Llama's own is RoPE.
    #[serde(default, skip_serializing_if = "is_rope")]
    pub positions: PositionalEncoding,
    /// Buckets of T5's bias.
    #[serde(default = "t5_buckets", skip_serializing_if = "is_t5_buckets")]
    pub relative_attention_num_buckets: usize,
    /// The distance from which all share the last of T5's buckets.
    #[serde(default = "t5_furthest", skip_serializing_if = "is_t5_furthest")]
    pub relative_attention_max_distance: usize,
    /// The ε of RMSNorm.
    pub rms_norm_eps: f64,
    /// The base of RoPE.
    #[serde(default = "rope_theta")]
    pub rope_theta: f32,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<Box<RopeParameters>>,
    /// RoPE's scaling as older checkpoints write it, beside `rope_theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<Box<RopeParameters>>,
    /// True if the projections to queries, keys and values and the projection back have a bias.
    #[serde(default, skip_serializing_if = "is_false")]
    pub attention_bias: bool,
    /// True if the feed-forward networks' matrices have a bias.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mlp_bias: bool,
    /// True if some of Qwen's layers see only the nearest tokens; not implemented.
    #[serde(default, skip_serializing_if = "is_false")]
    pub use_sliding_window: bool,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// True if the output matrix is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// The token that a sequence starts with.
    pub bos_token_id: Option<u32>,
    /// The tokens that end a text.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that is forced as the last one that may be generated, if decoding gets that far.
    #[serde(default, skip_serializing_if = "Tokens::is_empty")]
    pub forced_eos_token_id: Tokens,
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

fn is_llama(convention: &Convention) -> bool {
    *convention == Convention::Llama
}

fn is_false(switch: &bool) -> bool {
    !switch
}

/// The 7B model of [LLaMA](https://arxiv.org/abs/2302.13971), table 2.
impl Default for LlamaConfig {
    fn default() -> Self {
        LlamaConfig {
            convention: Convention::Llama,
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
            attention_bias: false,
            mlp_bias: false,
            use_sliding_window: false,
            max_position_embeddings: 2048,
            tie_word_embeddings: false,
            bos_token_id: Some(0),
            eos_token_id: 0.into(),
            forced_eos_token_id: Tokens::default(),
            dropout: 0.0,
            initializer_range: initializer_range(),
        }
    }
}

impl LlamaConfig {
    /// RoPE's parameters, of the older kind where both are there, as in `transformers`.
    fn scaling(&self) -> Option<&RopeParameters> {
        self.rope_scaling
            .as_deref()
            .or(self.rope_parameters.as_deref())
    }

    /// Returns the base of RoPE.
    pub fn theta(&self) -> f32 {
        self.scaling()
            .and_then(|parameters| parameters.rope_theta)
            .unwrap_or(self.rope_theta)
    }

    /// RoPE in a pass that ends at `length` tokens, those in the cache counted. Only the dynamic way asks for the
    /// length: keys that are in the cache stay as they were turned.
    ///
    /// # Errors
    /// If the way is not implemented, or lacks a number.
    pub fn rope(&self, length: usize) -> Result<Rope, ConfigError> {
        match self.scaling() {
            Some(parameters) => parameters.rope(self.theta(), self.max_position_embeddings, length),
            None => Ok(Rope::plain(self.theta())),
        }
    }

    /// True if RoPE reaches beyond its training, so that its base alone does not determine its
    /// angles.
    pub fn stretches_rope(&self) -> bool {
        let is_stretched = |parameters: &RopeParameters| parameters.way() != "default";
        self.scaling().is_some_and(is_stretched)
    }

    /// Returns the most tokens of a sequence; `None` if positions are encoded by distance alone, or not at all. In the
    /// dynamic way of stretching RoPE, the stretching begins at `max_position_embeddings`; in the others,
    /// `max_position_embeddings` is the reach.
    pub fn max_tokens(&self) -> Option<usize> {
        let longest = self.max_position_embeddings;
        match self.positions {
            PositionalEncoding::None | PositionalEncoding::T5 | PositionalEncoding::Alibi => None,
            PositionalEncoding::Learned | PositionalEncoding::Sinusoidal => Some(longest),
            PositionalEncoding::Rope => {
                let reach = self.scaling().and_then(RopeParameters::dynamic_factor);
                Some((longest as f64 * reach.unwrap_or(1.0)) as usize)
            }
        }
    }

    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.head_dim.unwrap_or(match self.convention {
            Convention::Qwen3 => QWEN3_HEAD_DIM,
            _ => self.hidden_size / self.num_attention_heads.max(1),
        })
    }

    /// True if the projections to queries, keys and values have a bias.
    pub fn inward_bias(&self) -> bool {
        self.convention == Convention::Qwen2 || self.attention_bias
    }

    /// True if the projection of the heads' outputs back to the model's width has a bias.
    pub fn outward_bias(&self) -> bool {
        self.convention != Convention::Qwen2 && self.attention_bias
    }

    /// True if the feed-forward networks' matrices have a bias.
    pub fn feed_forward_bias(&self) -> bool {
        self.convention == Convention::Llama && self.mlp_bias
    }

    /// True if queries and keys are normalised before RoPE, each head by itself with one gain for
    /// all.
    pub fn normalises_heads(&self) -> bool {
        self.convention == Convention::Qwen3
    }

    /// Returns the buckets of T5's position bias.
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

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or what is not implemented.
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
                ("bos_token_id", self.bos_token_id.as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
                ("forced_eos_token_id", self.forced_eos_token_id.as_slice()),
            ],
            self.vocab_size,
        )?;
        check_switches(&[("use_sliding_window", self.use_sliding_window, false)])?;
        let (heads, groups) = (self.num_attention_heads, self.key_value_heads());
        if !heads.is_multiple_of(groups) {
            return Err(ConfigError::Groups { heads, groups });
        }
        check_even("head_dim", self.head_dim())?;
        if self.positions == PositionalEncoding::Sinusoidal {
            check_even("hidden_size", self.hidden_size)?;
        }
        check_buckets(self.buckets())?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("rms_norm_eps", self.rms_norm_eps)?;
        check_base("rope_theta", self.theta())?;
        self.rope(1)?;
        check_dropout(self.dropout)
    }
}

#[cfg(test)]
pub(super) mod tests {
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
            refused(|config| config.forced_eos_token_id = 32_000.into()).to_string(),
            "forced_eos_token_id is 32000, but vocab_size is 32000"
        );
        assert_eq!(
            refused(|config| config.use_sliding_window = true).to_string(),
            "use_sliding_window is true; only false is implemented"
        );
    }

    fn read(json: serde_json::Value) -> LlamaConfig {
        let config: LlamaConfig = serde_json::from_value(json).unwrap();
        assert_eq!(config.validate(), Ok(()));
        config
    }

    /// Qwen2-0.5B's and Qwen3-0.6B's published `config.json`, without what says nothing of numbers.
    pub fn qwens() -> [LlamaConfig; 2] {
        let qwen2 = serde_json::json!({
            "model_type": "qwen2", "bos_token_id": 151_643, "eos_token_id": 151_643, "hidden_act": "silu",
            "hidden_size": 896, "intermediate_size": 4864, "max_position_embeddings": 131_072,
            "max_window_layers": 24, "num_attention_heads": 14, "num_hidden_layers": 24,
            "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1_000_000.0,
            "sliding_window": 131_072, "tie_word_embeddings": true, "use_sliding_window": false,
            "vocab_size": 151_936
        });
        let qwen3 = serde_json::json!({
            "model_type": "qwen3", "attention_bias": false, "bos_token_id": 151_643, "eos_token_id": 151_645,
            "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072,
            "max_position_embeddings": 40_960, "max_window_layers": 28, "num_attention_heads": 16,
            "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-6, "rope_scaling": null,
            "rope_theta": 1_000_000, "sliding_window": null, "tie_word_embeddings": true,
            "use_sliding_window": false, "vocab_size": 151_936
        });
        [read(qwen2), read(qwen3)]
    }

    #[test]
    fn conventions_differ_in_biases_and_norms() {
        let [qwen2, qwen3] = qwens();
        assert!(qwen2.inward_bias() && !qwen2.outward_bias() && !qwen2.normalises_heads());
        assert!(!qwen3.inward_bias() && !qwen3.outward_bias() && qwen3.normalises_heads());
        let narrow = LlamaConfig {
            head_dim: None,
            ..qwen3
        };
        assert_eq!(narrow.head_dim(), 128);
        let llama = LlamaConfig {
            attention_bias: true,
            mlp_bias: true,
            ..LlamaConfig::default()
        };
        assert!(llama.inward_bias() && llama.outward_bias() && llama.feed_forward_bias());
    }

    #[test]
    fn what_is_written_is_read_again() {
        for config in [qwens().to_vec(), vec![LlamaConfig::default()]].concat() {
            let json = serde_json::to_value(&config).unwrap();
            assert_eq!(serde_json::from_value::<LlamaConfig>(json).unwrap(), config);
        }
    }
}
