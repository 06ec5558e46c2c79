//! The sizes of an encoder–decoder Transformer in T5's layout, of either version.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_buckets, check_epsilon,
    check_scale, check_sizes, check_switches, check_tokens,
};
use super::tokens::Tokens;
use crate::Nonlinearity;
use crate::positions::{Buckets, Direction};

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum T5Convention {
    /// `T5ForConditionalGeneration`: the decoder's output is scaled where the output matrix is tied.
    #[default]
    T5,
    /// `MT5ForConditionalGeneration`, whose output is never scaled.
    Mt5,
}

impl T5Convention {
    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            T5Convention::T5 => "t5",
            T5Convention::Mt5 => "mt5",
        }
    }
}

/// `config.json` of a checkpoint of T5 or mT5; the fields that shape the model, with the defaults of `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct T5Config {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type")]
    pub convention: T5Convention,
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub d_model: usize,
    /// Width of a head; all heads together may be wider or narrower than the residual stream.
    pub d_kv: usize,
    /// Inner width of the feed-forward networks.
    pub d_ff: usize,
    /// Layers of the encoder.
    pub num_layers: usize,
    /// Layers of the decoder, where they are not as many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_decoder_layers: Option<usize>,
    /// Heads of each layer.
    pub num_heads: usize,
    /// Buckets of distances. In the encoder, half of them are for keys after the query.
    pub relative_attention_num_buckets: usize,
    /// The distance from which all share the last bucket.
    pub relative_attention_max_distance: usize,
    /// The ε of the normalisations.
    pub layer_norm_epsilon: f64,
    /// The feed-forward networks: `relu` in the first version, `gated-gelu` in 1.1.
    pub feed_forward_proj: FeedForward,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// True if the decoder's output is multiplied by `1/√d_model` before the output matrix; `None`
    /// if the file does not specify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_decoder_outputs: Option<bool>,
    /// The longest sequence in training; no table ends there.
    pub n_positions: usize,
    /// Factor of the standard deviations of a new model's weights.
    pub initializer_factor: f64,
    /// True if there is an encoder; a model without one is not implemented.
    pub is_encoder_decoder: bool,
    /// The id of the padding token.
    pub pad_token_id: Option<u32>,
    /// The tokens that end a sentence; none if the file does not name them.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that decoding starts from, unless something else names one: the padding token.
    pub decoder_start_token_id: Option<u32>,
}

/// The sizes of [T5](https://arxiv.org/abs/1910.10683) small.
impl Default for T5Config {
    fn default() -> Self {
        T5Config {
            convention: T5Convention::T5,
            vocab_size: 32_128,
            d_model: 512,
            d_kv: 64,
            d_ff: 2048,
            num_layers: 6,
            num_decoder_layers: None,
            num_heads: 8,
            relative_attention_num_buckets: Buckets::BOTH.count,
            relative_attention_max_distance: Buckets::BOTH.furthest,
            layer_norm_epsilon: 1e-6,
            feed_forward_proj: FeedForward {
                gated: false,
                activation: Nonlinearity::Relu,
            },
            tie_word_embeddings: true,
            scale_decoder_outputs: None,
            n_positions: 512,
            initializer_factor: 1.0,
            is_encoder_decoder: true,
            pad_token_id: Some(0),
            eos_token_id: 1.into(),
            decoder_start_token_id: Some(0),
        }
    }
}

/// A kind of feed-forward network, as `feed_forward_proj` names it: `relu`, or `gated-` and a non-linearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FeedForward {
    /// True if the non-linearity's output is multiplied by a second projection.
    pub gated: bool,
    /// The non-linearity between both products.
    pub activation: Nonlinearity,
}

impl TryFrom<String> for FeedForward {
    type Error = serde_json::Error;

    /// `gated-gelu` means the approximated GELU, as in the published models; `gelu` alone is the exact one.
    fn try_from(name: String) -> Result<Self, Self::Error> {
        let (gated, activation) = match name.strip_prefix("gated-") {
            Some("gelu") => (true, "gelu_new"),
            Some(activation) => (true, activation),
            None => (false, name.as_str()),
        };
        Ok(FeedForward {
            gated,
            activation: serde_json::from_value(activation.into())?,
        })
    }
}

impl From<FeedForward> for String {
    fn from(FeedForward { gated, activation }: FeedForward) -> Self {
        let name = match activation {
            Nonlinearity::Relu => "relu",
            Nonlinearity::GeluNew if gated => "gelu",
            Nonlinearity::GeluNew => "gelu_new",
            // Read as `gelu` it would come back as the approximated one.
            Nonlinearity::Gelu if gated => "gelu_python",
            Nonlinearity::Gelu => "gelu",
            Nonlinearity::Silu => "silu",
        };
        if gated {
            format!("gated-{name}")
        } else {
            name.into()
        }
    }
}

impl T5Config {
    /// Layers of the decoder.
    pub fn decoder_layers(&self) -> usize {
        self.num_decoder_layers.unwrap_or(self.num_layers)
    }

    /// Width of all heads together.
    pub fn heads_width(&self) -> usize {
        self.num_heads * self.d_kv
    }

    /// True if the decoder's output is multiplied by `1/√d_model` before the output matrix.
    /// Published files have no setting of their own for it: `transformers` scales the output if the
    /// matrix is the embedding table.
    pub fn scales_output(&self) -> bool {
        let given = self.scale_decoder_outputs;
        self.convention == T5Convention::T5 && given.unwrap_or(self.tie_word_embeddings)
    }

    /// Buckets of the encoder's or the decoder's self-attention. One table for a stack, which its first layer
    /// holds; attention from decoder to encoder has none.
    pub fn buckets(&self, direction: Direction) -> Buckets {
        Buckets {
            count: self.relative_attention_num_buckets,
            furthest: self.relative_attention_max_distance,
            direction,
        }
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or a switch that is not implemented.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            ("n_positions", self.n_positions, LARGEST_TABLE),
            ("d_model", self.d_model, WIDEST),
            ("d_kv", self.d_kv, WIDEST),
            ("d_ff", self.d_ff, WIDEST),
            ("num_heads", self.num_heads, MOST_HEADS),
            ("num_layers", self.num_layers, MOST_LAYERS),
            ("num_decoder_layers", self.decoder_layers(), MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("pad_token_id", self.pad_token_id.as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
                (
                    "decoder_start_token_id",
                    self.decoder_start_token_id.as_slice(),
                ),
            ],
            self.vocab_size,
        )?;
        check_switches(&[("is_encoder_decoder", self.is_encoder_decoder, true)])?;
        check_buckets(self.buckets(Direction::Causal))?;
        check_buckets(self.buckets(Direction::Both))?;
        check_scale("initializer_factor", self.initializer_factor)?;
        check_epsilon("layer_norm_epsilon", self.layer_norm_epsilon)
    }

    /// The parameters of one attention.
    fn attention(&self) -> u64 {
        4 * matrix(self.d_model, self.heads_width())
    }

    /// The parameters of one layer's feed-forward network.
    fn feed_forward(&self) -> u64 {
        let matrices = if self.feed_forward_proj.gated { 3 } else { 2 };
        matrices * matrix(self.d_model, self.d_ff)
    }

    /// The parameters of a model of these sizes. Nothing has a bias; norms have a gain alone.
    pub fn parameters(&self) -> Parameters {
        let d = self.d_model as u64;
        let table = matrix(self.vocab_size, self.d_model);
        let layer = |attentions: u64| {
            Parameters::default()
                .and(Part::Attention, attentions * self.attention())
                .and(Part::FeedForward, self.feed_forward())
                .and(Part::Norms, (attentions + 1) * d)
        };
        let bias = matrix(self.relative_attention_num_buckets, self.num_heads);
        layer(1)
            .times(self.num_layers)
            .plus(layer(2).times(self.decoder_layers()))
            .and(Part::Embedding, table)
            .and(Part::Positions, 2 * bias)
            .and(Part::Norms, 2 * d)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens` source tokens and as many target tokens.
    pub fn operations(&self, tokens: usize) -> Operations {
        let layers = self.num_layers + self.decoder_layers();
        let attentions = layers + self.decoder_layers();
        Operations {
            projections: Operations::product(tokens, self.attention() * attentions as u64),
            feed_forward: Operations::product(tokens, self.feed_forward() * layers as u64),
            output: Operations::product(tokens, matrix(self.d_model, self.vocab_size)),
            scores: Operations::attention(tokens, self.heads_width()) * attentions as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v1_1_small() -> T5Config {
        serde_json::from_str(
            r#"{"d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 8, "num_decoder_layers": 8,
                "num_heads": 6, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false}"#,
        )
        .unwrap()
    }

    #[test]
    fn published_models_have_the_parameters_of_transformers() {
        assert_eq!(T5Config::default().validate(), Ok(()));
        assert_eq!(T5Config::default().parameters().total(), 60_506_624);
        assert_eq!(v1_1_small().validate(), Ok(()));
        assert_eq!(v1_1_small().parameters().total(), 76_961_152);
    }

    #[test]
    fn version_1_1_has_a_gate_and_scales_no_output() {
        let config = v1_1_small();
        assert!(config.feed_forward_proj.gated);
        assert_eq!(config.feed_forward_proj.activation, Nonlinearity::GeluNew);
        assert!(!config.scales_output());
        assert!(T5Config::default().scales_output());
        // What `transformers` 5 writes of the same model.
        let rewritten = T5Config {
            tie_word_embeddings: true,
            scale_decoder_outputs: Some(false),
            ..config
        };
        assert!(!rewritten.scales_output());
        let multilingual = T5Config {
            convention: T5Convention::Mt5,
            ..T5Config::default()
        };
        assert!(!multilingual.scales_output());
        assert_eq!(multilingual.spec().output_factor, 1.0);
    }

    #[test]
    fn kinds_of_feed_forward_networks_are_read_as_they_are_written() {
        for gated in [false, true] {
            for activation in [
                Nonlinearity::Relu,
                Nonlinearity::Gelu,
                Nonlinearity::GeluNew,
                Nonlinearity::Silu,
            ] {
                let kind = FeedForward { gated, activation };
                assert_eq!(FeedForward::try_from(String::from(kind)).unwrap(), kind);
            }
        }
        assert!(FeedForward::try_from(String::from("gated-mish")).is_err());
    }

    #[test]
    fn what_cannot_be_built_is_refused_by_name() {
        let refused = |change: fn(&mut T5Config)| {
            let mut config = T5Config::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|config| config.is_encoder_decoder = false),
            "is_encoder_decoder is false; only true is implemented"
        );
        // Enough for a decoder: an encoder has half of them for each side.
        assert!(refused(|config| config.relative_attention_num_buckets = 3).contains("buckets"));
        assert!(refused(|config| config.relative_attention_max_distance = 16).contains("16"));
        assert!(
            refused(|config| config.num_decoder_layers = Some(0)).contains("num_decoder_layers")
        );
    }

    #[test]
    fn operations_follow_the_formulas() {
        let config = v1_1_small();
        let (n, d, inner, f, v) = (10.0, 512.0, 6.0 * 64.0, 1024.0, 32_128.0);
        let operations = config.operations(10);
        let linear = 2.0 * n * (24.0 * 4.0 * d * inner + 16.0 * 3.0 * d * f + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 24.0 * 4.0 * n * n * inner);
    }
}
