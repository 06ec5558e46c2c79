//! The sizes of an encoder–decoder Transformer in the layout of Marian, BART and M2M-100.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_dropout, check_even,
    check_heads, check_sizes, check_tokens,
};
use super::tokens::Tokens;
use crate::positions::SinusoidalLayout;
use crate::{Nonlinearity, NormPlacement};

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TranslatorConvention {
    /// `MarianMTModel`: positions are sinusoids, and padding is never generated.
    #[default]
    Marian,
    /// `BartForConditionalGeneration`: each stack has a table of positions and normalises the sum of its embeddings.
    Bart,
    /// `M2M100ForConditionalGeneration`, of M2M-100 and NLLB: norms of the sub-layers' inputs and of each stack's output,
    /// sinusoids that pass over padding, and no bias of the logits.
    #[serde(rename = "m2m_100")]
    M2m100,
}

impl TranslatorConvention {
    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            TranslatorConvention::Marian => "marian",
            TranslatorConvention::Bart => "bart",
            TranslatorConvention::M2m100 => "m2m_100",
        }
    }
}

fn yes() -> bool {
    true
}

fn is_shared(shares_vocabulary: &bool) -> bool {
    *shares_vocabulary
}

fn is_marian(convention: &TranslatorConvention) -> bool {
    *convention == TranslatorConvention::Marian
}

/// Rows of BART's tables of positions before that of the first position.
const BART_ROWS_BEFORE: usize = 2;
/// M2M-100's padding token if `config.json` does not give it.
const M2M100_PADDING: u32 = 1;

/// `config.json` of a checkpoint of Marian, BART or M2M-100; the fields that shape the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarianConfig {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type", default, skip_serializing_if = "is_marian")]
    pub convention: TranslatorConvention,
    /// Rows of the embedding table; of the encoder's, if the languages have separate vocabularies.
    pub vocab_size: usize,
    /// Rows of the decoder's table, if the languages have separate vocabularies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoder_vocab_size: Option<usize>,
    /// False if the languages have separate vocabularies.
    #[serde(
        default = "yes",
        rename = "share_encoder_decoder_embeddings",
        skip_serializing_if = "is_shared"
    )]
    pub shares_vocabulary: bool,
    /// Width of the residual stream.
    pub d_model: usize,
    /// Layers of the encoder.
    pub encoder_layers: usize,
    /// Layers of the decoder.
    pub decoder_layers: usize,
    /// Heads of each encoder layer.
    pub encoder_attention_heads: usize,
    /// Heads of each decoder layer.
    pub decoder_attention_heads: usize,
    /// Inner width of the encoder's feed-forward networks.
    pub encoder_ffn_dim: usize,
    /// Inner width of the decoder's feed-forward networks.
    pub decoder_ffn_dim: usize,
    /// The feed-forward networks' non-linearity.
    pub activation_function: Activation,
    /// True if embeddings are multiplied by `√d_model` before positions are added; if `config.json` does not say so, only
    /// M2M-100's are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_embedding: Option<bool>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// The token that fills short rows of a batch; Marian never generates it.
    pub pad_token_id: Option<u32>,
    /// The tokens that end a sentence.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that is forced as the last one that may be generated, if decoding gets that far.
    #[serde(default, skip_serializing_if = "Tokens::is_empty")]
    pub forced_eos_token_id: Tokens,
    /// The token that decoding starts from, unless something else names one.
    pub decoder_start_token_id: Option<u32>,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
}

/// A feed-forward network's non-linearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `max(0, x)`, the paper's.
    Relu,
    /// `x·σ(x)`, of Marian's published models.
    #[serde(alias = "silu")]
    Swish,
    /// Gaussian error linear unit.
    Gelu,
}

impl From<Activation> for Nonlinearity {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Relu => Nonlinearity::Relu,
            Activation::Swish => Nonlinearity::Silu,
            Activation::Gelu => Nonlinearity::Gelu,
        }
    }
}

/// The base model of [Attention Is All You Need](https://arxiv.org/abs/1706.03762), table 3, with its
/// shared vocabulary of about 37,000 tokens (section 5.1).
impl Default for MarianConfig {
    fn default() -> Self {
        MarianConfig {
            convention: TranslatorConvention::Marian,
            vocab_size: 37_000,
            decoder_vocab_size: None,
            shares_vocabulary: true,
            d_model: 512,
            encoder_layers: 6,
            decoder_layers: 6,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            encoder_ffn_dim: 2048,
            decoder_ffn_dim: 2048,
            activation_function: Activation::Relu,
            scale_embedding: Some(true),
            max_position_embeddings: 512,
            pad_token_id: Some(0),
            eos_token_id: 1.into(),
            forced_eos_token_id: Tokens::default(),
            decoder_start_token_id: Some(0),
            dropout: 0.1,
        }
    }
}

impl MarianConfig {
    /// Returns the factor that embeddings are multiplied by before positions are added.
    pub fn embedding_factor(&self) -> f32 {
        match self.scale_embedding.unwrap_or(self.is_m2m100()) {
            true => (self.d_model as f32).sqrt(),
            false => 1.0,
        }
    }

    /// Returns the number of tokens that the decoder reads and writes.
    pub fn target_vocabulary(&self) -> usize {
        match self.shares_vocabulary {
            true => self.vocab_size,
            false => self.decoder_vocab_size.unwrap_or(self.vocab_size),
        }
    }

    fn is_m2m100(&self) -> bool {
        self.convention == TranslatorConvention::M2m100
    }

    /// The row of a stack's table of positions that the first token has; `None` if positions are sinusoids.
    pub fn first_position(&self) -> Option<usize> {
        match self.convention {
            TranslatorConvention::Marian | TranslatorConvention::M2m100 => None,
            TranslatorConvention::Bart => Some(BART_ROWS_BEFORE),
        }
    }

    /// The id of the padding token, if there is one: that of `config.json`, else the convention's.
    pub fn padding(&self) -> Option<u32> {
        self.pad_token_id
            .or(self.is_m2m100().then_some(M2M100_PADDING))
    }

    /// The token that positions pass over, whose own vector is zero; `None` if they count all tokens.
    pub fn uncounted(&self) -> Option<u32> {
        self.padding().filter(|_| self.is_m2m100())
    }

    /// The position whose sinusoids the first token has.
    pub fn first_sinusoid(&self) -> usize {
        self.uncounted().map_or(0, |padding| padding as usize + 1)
    }

    /// The layout of sines and cosines in the columns of the position table.
    pub fn layout(&self) -> SinusoidalLayout {
        match self.is_m2m100() {
            true => SinusoidalLayout::HalvesToBase,
            false => SinusoidalLayout::Halves,
        }
    }

    /// Returns the placement of the sub-layers' norms.
    pub fn norm_placement(&self) -> NormPlacement {
        match self.is_m2m100() {
            true => NormPlacement::Pre,
            false => NormPlacement::Post,
        }
    }

    /// True if the output of each stack is normalised.
    pub fn has_last_norm(&self) -> bool {
        self.is_m2m100()
    }

    /// True if a bias is added to the logits.
    pub fn has_output_bias(&self) -> bool {
        !self.is_m2m100()
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "decoder_vocab_size",
                self.target_vocabulary(),
                LARGEST_TABLE,
            ),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("d_model", self.d_model, WIDEST),
            ("encoder_ffn_dim", self.encoder_ffn_dim, WIDEST),
            ("decoder_ffn_dim", self.decoder_ffn_dim, WIDEST),
            (
                "encoder_attention_heads",
                self.encoder_attention_heads,
                MOST_HEADS,
            ),
            (
                "decoder_attention_heads",
                self.decoder_attention_heads,
                MOST_HEADS,
            ),
            ("encoder_layers", self.encoder_layers, MOST_LAYERS),
            ("decoder_layers", self.decoder_layers, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("pad_token_id", self.padding().as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
                (
                    "decoder_start_token_id",
                    self.decoder_start_token_id.as_slice(),
                ),
                ("forced_eos_token_id", self.forced_eos_token_id.as_slice()),
            ],
            self.target_vocabulary(),
        )?;
        let width = self.d_model;
        for heads in [self.encoder_attention_heads, self.decoder_attention_heads] {
            check_heads(width, heads)?;
        }
        if self.first_position().is_none() {
            check_even("d_model", width)?;
        }
        check_dropout(self.dropout)
    }

    /// The parameters of a model of these sizes. One table embeds source and target and makes the logits, or one for
    /// each of two vocabularies; sinusoidal positions are a formula and have none.
    pub fn parameters(&self) -> Parameters {
        let d = self.d_model;
        // Queries, keys, values and the way back, each with a bias.
        let attention = 4 * (matrix(d, d) + d as u64);
        let feed_forward = |inner: usize| 2 * matrix(d, inner) + (inner + d) as u64;
        // A gain and a bias for each dimension.
        let norm = 2 * d as u64;
        let encoder = Parameters::default()
            .and(Part::Attention, attention)
            .and(Part::FeedForward, feed_forward(self.encoder_ffn_dim))
            .and(Part::Norms, 2 * norm);
        let decoder = Parameters::default()
            .and(Part::Attention, 2 * attention)
            .and(Part::FeedForward, feed_forward(self.decoder_ffn_dim))
            .and(Part::Norms, 3 * norm);
        let last_norms = if self.has_last_norm() { 2 * norm } else { 0 };
        let output = match self.has_output_bias() {
            true => self.target_vocabulary() as u64,
            false => 0,
        };
        let tables = match self.shares_vocabulary {
            true => self.vocab_size,
            false => self.vocab_size + self.target_vocabulary(),
        };
        // Of both stacks, a table of positions and a norm of the embeddings.
        let embedding = match self.first_position() {
            None => Parameters::default(),
            Some(first) => Parameters::default()
                .and(
                    Part::Positions,
                    2 * matrix(first + self.max_position_embeddings, d),
                )
                .and(Part::Norms, 2 * norm),
        };
        encoder
            .times(self.encoder_layers)
            .plus(decoder.times(self.decoder_layers))
            .plus(embedding)
            .and(Part::Embedding, matrix(tables, d))
            .and(Part::Norms, last_norms)
            .and(Part::Output, output)
    }

    /// The operations of a forward pass over `tokens` source tokens and as many target tokens.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, encoder, decoder) = (self.d_model, self.encoder_layers, self.decoder_layers);
        // Of every layer of the decoder two: its own and the one that looks at the source.
        let attentions = encoder + 2 * decoder;
        let inner = encoder * self.encoder_ffn_dim + decoder * self.decoder_ffn_dim;
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * attentions as u64),
            feed_forward: Operations::product(tokens, 2 * matrix(d, inner)),
            output: Operations::product(tokens, matrix(d, self.target_vocabulary())),
            scores: Operations::attention(tokens, d) * attentions as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_are_named() {
        let refused = |change: fn(&mut MarianConfig)| {
            let mut config = MarianConfig::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(MarianConfig::default().validate(), Ok(()));
        assert!(refused(|config| config.d_model = 0).contains("d_model is 0"));
        assert!(refused(|config| config.decoder_attention_heads = 7).contains("512"));
        assert!(refused(|config| config.vocab_size = 1).contains("eos_token_id"));
        assert!(refused(|config| config.dropout = 1.0).contains("[0, 1)"));
        let odd = |config: &mut MarianConfig| {
            config.d_model = 9;
            config.encoder_attention_heads = 3;
            config.decoder_attention_heads = 3;
        };
        assert!(refused(odd).contains("even"));
    }

    /// `BartForConditionalGeneration` with bart-base's configuration.
    #[test]
    fn bart_has_the_parameters_of_transformers() {
        let config = MarianConfig {
            convention: TranslatorConvention::Bart,
            vocab_size: 50_265,
            d_model: 768,
            encoder_attention_heads: 12,
            decoder_attention_heads: 12,
            encoder_ffn_dim: 3072,
            decoder_ffn_dim: 3072,
            max_position_embeddings: 1024,
            ..MarianConfig::default()
        };
        assert_eq!(config.validate(), Ok(()));
        // The bias of the logits is a buffer there.
        assert_eq!(config.parameters().total(), 139_420_416 + 50_265);
        assert_eq!(config.spec().max_tokens, Some(1024));
    }

    /// `M2M100ForConditionalGeneration` with m2m100_418M's configuration.
    #[test]
    fn m2m100_has_the_parameters_of_transformers() {
        let config = MarianConfig {
            convention: TranslatorConvention::M2m100,
            vocab_size: 128_112,
            d_model: 1024,
            encoder_layers: 12,
            decoder_layers: 12,
            encoder_attention_heads: 16,
            decoder_attention_heads: 16,
            encoder_ffn_dim: 4096,
            decoder_ffn_dim: 4096,
            scale_embedding: None,
            max_position_embeddings: 1024,
            pad_token_id: None,
            ..MarianConfig::default()
        };
        assert_eq!(config.validate(), Ok(()));
        assert_eq!(config.parameters().total(), M2M100_418M);
        assert_eq!(config.embedding_factor(), 32.0);
        assert_eq!((config.padding(), config.first_sinusoid()), (Some(1), 2));
        let spec = config.spec();
        assert!(!spec.output_bias);
        let second = spec.positions.sinusoids(1..2, 1024).unwrap();
        assert_eq!(second[0], 3f32.sin());
        assert_eq!(spec.max_tokens, Some(1024));
        assert!(spec.has("encoder.final_norm".parse().unwrap()));
    }

    /// The parameters of m2m100_418M.
    const M2M100_418M: u64 = 483_905_536;

    #[test]
    fn operations_follow_the_formulas() {
        let config = MarianConfig::default();
        let (n, d, f, v) = (10.0, 512.0, 2048.0, 37_000.0);
        let operations = config.operations(10);
        let linear = 2.0 * n * (18.0 * 4.0 * d * d + 12.0 * 2.0 * d * f + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 18.0 * 4.0 * n * n * d);
    }
}
