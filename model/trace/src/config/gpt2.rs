//! The sizes of a decoder-only Transformer in GPT-2's layout.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_epsilon, check_heads,
    check_scale, check_sizes, check_switches, check_tokens,
};
use super::tokens::Tokens;
use crate::{LayerAttention, Nonlinearity};

/// `config.json` of a GPT-2 checkpoint; the fields that shape the model, with the defaults of `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gpt2Config {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Rows of the table of learned positions: the longest sequence, in tokens.
    pub n_positions: usize,
    /// Width of the residual stream.
    pub n_embd: usize,
    /// The number of layers.
    pub n_layer: usize,
    /// Heads of each layer.
    pub n_head: usize,
    /// Inner width of the feed-forward networks, where it is not four times the model's.
    pub n_inner: Option<usize>,
    /// The feed-forward networks' non-linearity.
    pub activation_function: Nonlinearity,
    /// The ε of the layer normalisations.
    pub layer_norm_epsilon: f64,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// True if scores are divided by `√d_k`.
    pub scale_attn_weights: bool,
    /// True if scores are divided by the layer's number, counted from 1.
    pub scale_attn_by_inverse_layer_idx: bool,
    /// True if keys are scaled before the product; not implemented.
    pub reorder_and_upcast_attn: bool,
    /// True if layers attend to another model's output; not implemented.
    pub add_cross_attention: bool,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// The token that a text may start with; GPT-2's own texts do not.
    #[serde(default)]
    pub bos_token_id: Option<u32>,
    /// The tokens that end a text; none if the file does not name them.
    #[serde(default)]
    pub eos_token_id: Tokens,
}

/// The smallest of the published models ([Radford et al. 2019](https://openai.com/research/better-language-models)).
impl Default for Gpt2Config {
    fn default() -> Self {
        Gpt2Config {
            vocab_size: 50_257,
            n_positions: 1024,
            n_embd: 768,
            n_layer: 12,
            n_head: 12,
            n_inner: None,
            activation_function: Nonlinearity::GeluNew,
            layer_norm_epsilon: 1e-5,
            initializer_range: 0.02,
            scale_attn_weights: true,
            scale_attn_by_inverse_layer_idx: false,
            reorder_and_upcast_attn: false,
            add_cross_attention: false,
            tie_word_embeddings: true,
            bos_token_id: Some(50_256),
            eos_token_id: 50_256.into(),
        }
    }
}

impl Gpt2Config {
    /// Inner width of the feed-forward networks.
    pub fn inner(&self) -> usize {
        // Sizes that are out of reason are counted too, to be refused.
        self.n_inner.unwrap_or(self.n_embd.saturating_mul(4))
    }

    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.n_embd / self.n_head.max(1)
    }

    /// Returns the number that a layer's scores are divided by.
    pub fn score_divisor(&self, layer: usize) -> f32 {
        let root = match self.scale_attn_weights {
            true => (self.head_dim() as f32).sqrt(),
            false => 1.0,
        };
        match self.scale_attn_by_inverse_layer_idx {
            true => root * (layer + 1) as f32,
            false => root,
        }
    }

    /// True if scores are divided by a number at all.
    pub fn scales_scores(&self) -> bool {
        self.scale_attn_weights || self.scale_attn_by_inverse_layer_idx
    }

    /// Returns the self-attention of each layer; empty if all layers have the usual one.
    pub fn layer_attention(&self) -> Vec<LayerAttention> {
        let layers = match self.scale_attn_by_inverse_layer_idx {
            true => self.n_layer,
            false => 0,
        };
        let divisor = |layer| LayerAttention {
            divisor: Some(self.score_divisor(layer)),
            ..LayerAttention::default()
        };
        (0..layers).map(divisor).collect()
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or a switch that is not implemented.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            ("n_positions", self.n_positions, LARGEST_TABLE),
            ("n_embd", self.n_embd, WIDEST),
            ("n_inner", self.inner(), 4 * WIDEST),
            ("n_head", self.n_head, MOST_HEADS),
            ("n_layer", self.n_layer, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id.as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
            ],
            self.vocab_size,
        )?;
        check_switches(&[
            (
                "reorder_and_upcast_attn",
                self.reorder_and_upcast_attn,
                false,
            ),
            ("add_cross_attention", self.add_cross_attention, false),
        ])?;
        check_heads(self.n_embd, self.n_head)?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("layer_norm_epsilon", self.layer_norm_epsilon)
    }

    /// The parameters of a model of these sizes. The causal masks in published files are none.
    pub fn parameters(&self) -> Parameters {
        let (d, inner) = (self.n_embd, self.inner());
        let table = matrix(self.vocab_size, d);
        let layer = Parameters::default()
            .and(Part::Attention, 4 * (matrix(d, d) + d as u64))
            .and(Part::FeedForward, 2 * matrix(d, inner) + (inner + d) as u64)
            // A gain and a bias for each dimension, before attention and before the feed-forward network.
            .and(Part::Norms, 4 * d as u64);
        layer
            .times(self.n_layer)
            .and(Part::Embedding, table)
            .and(Part::Positions, matrix(self.n_positions, d))
            .and(Part::Norms, 2 * d as u64)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, layers) = (self.n_embd, self.n_layer as u64);
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * layers),
            feed_forward: Operations::product(tokens, 2 * matrix(d, self.inner()) * layers),
            output: Operations::product(tokens, matrix(d, self.vocab_size)),
            scores: Operations::attention(tokens, d) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(width: usize, layers: usize, heads: usize) -> u64 {
        let config = Gpt2Config {
            n_embd: width,
            n_layer: layers,
            n_head: heads,
            ..Gpt2Config::default()
        };
        assert_eq!(config.validate(), Ok(()));
        config.parameters().total()
    }

    #[test]
    fn published_models_have_the_parameters_of_their_files() {
        assert_eq!(total(768, 12, 12), 124_439_808);
        assert_eq!(total(1024, 24, 16), 354_823_168);
        assert_eq!(total(1280, 36, 20), 774_030_080);
        assert_eq!(total(1600, 48, 25), 1_557_611_200);
    }

    #[test]
    fn switches_that_are_not_implemented_are_refused_by_name() {
        let refused = |change: fn(&mut Gpt2Config)| {
            let mut config = Gpt2Config::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|config| config.reorder_and_upcast_attn = true),
            "reorder_and_upcast_attn is true; only false is implemented"
        );
        assert!(refused(|config| config.n_head = 7).contains("7 heads"));
        assert!(refused(|config| config.n_inner = Some(0)).contains("n_inner"));
    }

    #[test]
    fn scores_are_divided_by_the_root_and_by_the_layers_number() {
        let divisors = |scale_attn_weights, scale_attn_by_inverse_layer_idx| {
            let config = Gpt2Config {
                scale_attn_weights,
                scale_attn_by_inverse_layer_idx,
                ..Gpt2Config::default()
            };
            let own = config.layer_attention();
            let own = own.get(2).and_then(|layer| layer.divisor);
            (config.spec().scales_scores, own, config.score_divisor(2))
        };
        assert_eq!(divisors(true, false), (true, None, 8.0));
        assert_eq!(divisors(true, true), (true, Some(24.0), 24.0));
        assert_eq!(divisors(false, true), (true, Some(3.0), 3.0));
        assert_eq!(divisors(false, false), (false, None, 1.0));
    }

    #[test]
    fn what_a_file_leaves_out_is_as_in_the_smallest_model() {
        let config: Gpt2Config = serde_json::from_str(r#"{"n_embd": 24, "n_head": 3}"#).unwrap();
        assert_eq!((config.inner(), config.head_dim()), (96, 8));
        assert_eq!(config.n_positions, 1024);
    }

    #[test]
    fn operations_follow_the_formulas() {
        let config = Gpt2Config::default();
        let (n, d, v) = (10.0, 768.0, 50_257.0);
        let operations = config.operations(10);
        assert_eq!(operations.linear(), 2.0 * n * (12.0 * 12.0 * d * d + d * v));
        assert_eq!(operations.quadratic(), 12.0 * 4.0 * n * n * d);
    }
}
