//! The configuration of the model that a run trains.

use super::settings::{Architecture, CONTEXT, FEED_FORWARD_FACTOR, Shape};
use super::vocabulary::{END, PADDING};
use crate::config::{Activation, ConfigError, Convention, GruConfig, LlamaConfig, MarianConfig};
use crate::{ModelSpec, RecurrentAttention};

/// A configuration of one of the families that are trained.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few of them, and none is moved in a loop"
)]
pub enum LearnerConfig {
    /// A decoder-only model in Llama's layout.
    Llama(LlamaConfig),
    /// An encoder–decoder in Marian's layout.
    Marian(MarianConfig),
    /// A recurrent encoder–decoder of GRUs.
    Gru(GruConfig),
}

impl LearnerConfig {
    /// Returns the configuration of a model with a vocabulary of so many tokens.
    pub fn of(shape: Shape, vocabulary: usize) -> Self {
        match shape.architecture {
            Architecture::DecoderOnly => LearnerConfig::Llama(llama(shape, vocabulary)),
            Architecture::EncoderDecoder => LearnerConfig::Marian(marian(shape, vocabulary)),
            Architecture::Recurrent(attention) => {
                LearnerConfig::Gru(gru(attention, shape.width, vocabulary))
            }
        }
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            LearnerConfig::Llama(config) => config.validate(),
            LearnerConfig::Marian(config) => config.validate(),
            LearnerConfig::Gru(config) => config.validate(),
        }
    }

    /// The parameters of a model of these sizes.
    pub fn parameters(&self) -> u64 {
        match self {
            LearnerConfig::Llama(config) => config.parameters().total(),
            LearnerConfig::Marian(config) => config.parameters().total(),
            LearnerConfig::Gru(config) => config.parameters(),
        }
    }

    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        match self {
            LearnerConfig::Llama(config) => config.spec(),
            LearnerConfig::Marian(config) => config.spec(),
            LearnerConfig::Gru(config) => config.spec(),
        }
    }
}

fn llama(shape: Shape, vocabulary: usize) -> LlamaConfig {
    LlamaConfig {
        convention: match shape.head_norm {
            true => Convention::Qwen3,
            false => Convention::Llama,
        },
        vocab_size: vocabulary,
        hidden_size: shape.width,
        intermediate_size: usize::from(shape.feed_forward) * FEED_FORWARD_FACTOR * shape.width,
        num_hidden_layers: shape.layers,
        num_attention_heads: shape.heads,
        // Qwen3's own are 128 wide, whatever the width of the model.
        head_dim: (shape.width.checked_div(shape.heads)).filter(|_| shape.head_norm),
        positions: shape.positions,
        max_position_embeddings: CONTEXT,
        // With one table for both, a stream that starts from a token names that token again, and heads of attention alone
        // would be busy with taking it away.
        tie_word_embeddings: shape.feed_forward,
        bos_token_id: Some(END),
        eos_token_id: END.into(),
        // Five times Llama's: so narrow a model hardly begins to learn with 0.02.
        initializer_range: 0.1,
        ..LlamaConfig::default()
    }
}

fn marian(shape: Shape, vocabulary: usize) -> MarianConfig {
    let inner = FEED_FORWARD_FACTOR * shape.width;
    MarianConfig {
        vocab_size: vocabulary,
        d_model: shape.width,
        encoder_layers: shape.layers,
        decoder_layers: shape.layers,
        encoder_attention_heads: shape.heads,
        decoder_attention_heads: shape.heads,
        encoder_ffn_dim: inner,
        decoder_ffn_dim: inner,
        activation_function: Activation::Relu,
        max_position_embeddings: CONTEXT,
        pad_token_id: Some(PADDING),
        eos_token_id: END.into(),
        decoder_start_token_id: Some(PADDING),
        dropout: 0.0,
        ..MarianConfig::default()
    }
}

/// Bahdanau's encoder reads in both directions, as in the paper.
fn gru(attention: RecurrentAttention, width: usize, vocabulary: usize) -> GruConfig {
    GruConfig {
        vocab_size: vocabulary,
        embedding_size: width,
        hidden_size: width,
        bidirectional: attention == RecurrentAttention::Bahdanau,
        attention,
        pad_token_id: Some(PADDING),
        eos_token_id: END.into(),
        decoder_start_token_id: Some(PADDING),
        dropout: 0.0,
    }
}
