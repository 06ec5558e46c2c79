//! The sizes of a decoder-only Transformer in GPT-NeoX's layout.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_base, check_epsilon,
    check_even, check_heads, check_scale, check_sizes, check_tokens,
};
use super::rope::{Rope, RopeParameters};
use super::tokens::Tokens;
use crate::Nonlinearity;

/// `config.json` of a GPT-NeoX or Pythia checkpoint; the fields that shape the model, with the defaults of
/// `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GptNeoXConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// Heads of each layer.
    pub num_attention_heads: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// The feed-forward networks' non-linearity.
    pub hidden_act: Nonlinearity,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// The ε of the layer normalisations.
    pub layer_norm_eps: f64,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// True if the feed-forward network reads the same residual stream as attention beside it.
    pub use_parallel_residual: bool,
    /// True if the projections of attention have a bias.
    pub attention_bias: bool,
    /// The base of RoPE.
    pub rotary_emb_base: f32,
    /// The share of a head's dimensions that RoPE rotates, the first ones.
    pub rotary_pct: f64,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<Box<RopeParameters>>,
    /// RoPE's scaling as older checkpoints write it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<Box<RopeParameters>>,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// The token that a sequence may start with.
    pub bos_token_id: Option<u32>,
    /// The tokens that end a text; none if the file does not name them.
    pub eos_token_id: Tokens,
}

/// GPT-NeoX-20B ([Black et al. 2022](https://arxiv.org/abs/2204.06745)).
impl Default for GptNeoXConfig {
    fn default() -> Self {
        GptNeoXConfig {
            vocab_size: 50_432,
            hidden_size: 6144,
            num_hidden_layers: 44,
            num_attention_heads: 64,
            intermediate_size: 24_576,
            hidden_act: Nonlinearity::Gelu,
            max_position_embeddings: 2048,
            layer_norm_eps: 1e-5,
            initializer_range: 0.02,
            use_parallel_residual: true,
            attention_bias: true,
            rotary_emb_base: 10_000.0,
            rotary_pct: 0.25,
            rope_parameters: None,
            rope_scaling: None,
            tie_word_embeddings: false,
            bos_token_id: Some(0),
            eos_token_id: 2.into(),
        }
    }
}

impl GptNeoXConfig {
    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.hidden_size / self.num_attention_heads.max(1)
    }

    /// RoPE's parameters, of the older kind where both are there, as in `transformers`.
    fn scaling(&self) -> Option<&RopeParameters> {
        let older = self.rope_scaling.as_deref();
        older.or(self.rope_parameters.as_deref())
    }

    /// Returns the base of RoPE.
    pub fn theta(&self) -> f32 {
        let given = self.scaling().and_then(|given| given.rope_theta);
        given.unwrap_or(self.rotary_emb_base)
    }

    /// Returns the number of a head's dimensions that RoPE rotates, the first ones.
    pub fn rotary_width(&self) -> usize {
        let given = self.scaling().and_then(|given| given.partial_rotary_factor);
        let share = given.unwrap_or(self.rotary_pct);
        (self.head_dim() as f64 * share) as usize
    }

    /// RoPE in a pass that ends at `length` tokens, those in the cache counted.
    ///
    /// # Errors
    /// If the way is not implemented, or lacks a number.
    pub fn rope(&self, length: usize) -> Result<Rope, ConfigError> {
        match self.scaling() {
            Some(given) => given.rope(self.theta(), self.max_position_embeddings, length),
            None => Ok(Rope::plain(self.theta())),
        }
    }

    /// True if RoPE's base alone does not determine its angles.
    pub fn stretches_rope(&self) -> bool {
        let is_stretched = |given: &RopeParameters| given.way() != "default";
        self.scaling().is_some_and(is_stretched)
    }

    /// Returns the most tokens of a sequence: with dynamic RoPE, more than `max_position_embeddings`.
    pub fn max_tokens(&self) -> usize {
        let reach = self.scaling().and_then(RopeParameters::dynamic_factor);
        (self.max_position_embeddings as f64 * reach.unwrap_or(1.0)) as usize
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
            ("intermediate_size", self.intermediate_size, 4 * WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id.as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
            ],
            self.vocab_size,
        )?;
        check_heads(self.hidden_size, self.num_attention_heads)?;
        let rotated = self.rotary_width();
        check_sizes(&[("rotated dimensions of a head", rotated, self.head_dim())])?;
        check_even("rotated dimensions of a head", rotated)?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("layer_norm_eps", self.layer_norm_eps)?;
        check_base("rotary_emb_base", self.theta())?;
        self.rope(1).map(|_| ())
    }

    /// The parameters of a model of these sizes.
    pub fn parameters(&self) -> Parameters {
        let (d, inner) = (self.hidden_size, self.intermediate_size);
        let table = matrix(self.vocab_size, d);
        let biases = match self.attention_bias {
            true => 4 * d as u64,
            false => 0,
        };
        let layer = Parameters::default()
            .and(Part::Attention, 4 * matrix(d, d) + biases)
            .and(Part::FeedForward, 2 * matrix(d, inner) + (inner + d) as u64)
            // A gain and a bias for each dimension, before attention and before the feed-forward network.
            .and(Part::Norms, 4 * d as u64);
        layer
            .times(self.num_hidden_layers)
            .and(Part::Embedding, table)
            .and(Part::Norms, 2 * d as u64)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, layers) = (self.hidden_size, self.num_hidden_layers as u64);
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * layers),
            feed_forward: Operations::product(
                tokens,
                2 * matrix(d, self.intermediate_size) * layers,
            ),
            output: Operations::product(tokens, matrix(d, self.vocab_size)),
            scores: Operations::attention(tokens, d) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Pythia-70M's published `config.json`, without what says nothing of numbers.
    fn pythia() -> GptNeoXConfig {
        let config = json!({
            "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu", "hidden_size": 512,
            "intermediate_size": 2048, "layer_norm_eps": 1e-5, "max_position_embeddings": 2048,
            "model_type": "gpt_neox", "num_attention_heads": 8, "num_hidden_layers": 6, "rotary_emb_base": 10000,
            "rotary_pct": 0.25, "tie_word_embeddings": false, "use_parallel_residual": true, "vocab_size": 50304
        });
        serde_json::from_value(config).unwrap()
    }

    #[test]
    fn pythia_has_the_parameters_that_are_published() {
        assert_eq!(pythia().validate(), Ok(()));
        assert_eq!(pythia().parameters().total(), 70_426_624);
        assert_eq!(pythia().rotary_width(), 16);
    }

    #[test]
    fn rope_is_read_as_newer_files_have_it() {
        let mut newer = pythia();
        newer.rope_parameters = serde_json::from_value(json!({
            "rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.5
        }))
        .unwrap();
        assert_eq!((newer.theta(), newer.rotary_width()), (500.0, 32));
    }

    #[test]
    fn a_share_that_leaves_no_pairs_is_refused() {
        for (share, words) in [
            (0.0, "rotated dimensions of a head is 0"),
            (0.05, "rotated dimensions of a head 3 must be even"),
            (1.5, "rotated dimensions of a head is 96"),
            (f64::NAN, "rotated dimensions of a head is 0"),
        ] {
            let config = GptNeoXConfig {
                rotary_pct: share,
                ..pythia()
            };
            let refused = config.validate().unwrap_err().to_string();
            assert!(refused.starts_with(words), "{refused}");
        }
    }

    #[test]
    fn operations_follow_the_formulas_of_the_documentation() {
        let (n, d, f, v, layers) = (100.0, 512.0, 2048.0, 50_304.0, 6.0);
        let operations = pythia().operations(100);
        let linear = 2.0 * n * (layers * (4.0 * d * d + 2.0 * d * f) + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 4.0 * n * n * d * layers);
    }
}
