//! The model whose sizes chapter "sizes" counts, as plain data in the address.

use attention_core::state::{AddressValue, Entry, Parameters, flat};
use attention_trace::{
    config::{BertConfig, Convention, Gpt2Config, Known, LlamaConfig, MarianConfig, ModelConfig},
    positions::PositionalEncoding,
};
use serde::{Deserialize, Serialize};

/// The architectures whose sizes can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// The architecture of "Attention Is All You Need".
    EncoderDecoder,
    /// The architecture of Llama.
    #[serde(rename = "decoder")]
    DecoderOnly,
    /// The architecture of Qwen3: Llama's, with a separate width of heads, and norms of queries and keys.
    #[serde(rename = "qwen-3")]
    Qwen3,
    /// The architecture of GPT-2: two matrices in the feed-forward network, biases, learned positions.
    #[serde(rename = "gpt-2")]
    Gpt2,
    /// The architecture of BERT: an encoder with learned positions and segments, a norm of embeddings and a layer
    /// before the logits.
    Bert,
}

/// Sizes as a visitor types them, valid or not; [`config`](Sizes::config) checks if a model can be built from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Sizes {
    #[serde(rename = "sizes-family")]
    pub architecture: Architecture,
    /// The number of layers; in an encoder–decoder, of each of the two stacks.
    #[serde(rename = "sizes-layers")]
    pub layers: usize,
    /// The number of query heads in each layer.
    #[serde(rename = "sizes-heads")]
    pub heads: usize,
    /// The number of key and value heads in each layer; equal to the query heads except for Llama's and Qwen3's
    /// architectures.
    #[serde(rename = "sizes-groups")]
    pub groups: usize,
    /// The width of the residual stream.
    #[serde(rename = "sizes-d")]
    pub width: usize,
    /// The inner width of the feed-forward networks.
    #[serde(rename = "sizes-ff")]
    pub inner: usize,
    #[serde(rename = "sizes-vocab")]
    pub vocabulary: usize,
    /// The number of learned positions; 0 if a formula gives them, which is never so for GPT-2 and BERT.
    #[serde(rename = "sizes-learned")]
    pub learned: usize,
    /// True if the output matrix is the embedding, as it always is in an encoder–decoder.
    #[serde(rename = "sizes-tied")]
    pub tied: bool,
    /// The number of tokens in a forward pass.
    #[serde(rename = "sizes-n")]
    pub tokens: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes::of(&Known::PaperBase.config(), Sizes::TOKENS)
    }
}

impl Sizes {
    /// The number of tokens in a forward pass before the visitor chooses one.
    pub const TOKENS: usize = 512;
    /// The most tokens of a forward pass.
    pub const MOST_TOKENS: usize = 1 << 17;

    /// The sizes of a configuration.
    pub fn of(config: &ModelConfig, tokens: usize) -> Self {
        match config {
            ModelConfig::Marian(config) => Sizes {
                architecture: Architecture::EncoderDecoder,
                layers: config.encoder_layers,
                heads: config.encoder_attention_heads,
                groups: config.encoder_attention_heads,
                width: config.d_model,
                inner: config.encoder_ffn_dim,
                vocabulary: config.vocab_size,
                learned: 0,
                tied: true,
                tokens,
            },
            ModelConfig::Llama(config) => Sizes {
                architecture: match config.convention {
                    Convention::Qwen3 => Architecture::Qwen3,
                    // No preset follows another one that differs in its counts.
                    _ => Architecture::DecoderOnly,
                },
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                groups: config.key_value_heads(),
                width: config.hidden_size,
                inner: config.intermediate_size,
                vocabulary: config.vocab_size,
                learned: match config.positions {
                    PositionalEncoding::Learned => config.max_position_embeddings,
                    _ => 0,
                },
                tied: config.tie_word_embeddings,
                tokens,
            },
            ModelConfig::Gpt2(config) => Sizes {
                architecture: Architecture::Gpt2,
                layers: config.n_layer,
                heads: config.n_head,
                groups: config.n_head,
                width: config.n_embd,
                inner: config.inner(),
                vocabulary: config.vocab_size,
                learned: config.n_positions,
                tied: config.tie_word_embeddings,
                tokens,
            },
            ModelConfig::Bert(config) => Sizes {
                architecture: Architecture::Bert,
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                groups: config.num_attention_heads,
                width: config.hidden_size,
                inner: config.intermediate_size,
                vocabulary: config.vocab_size,
                learned: config.max_position_embeddings,
                tied: config.tie_word_embeddings,
                tokens,
            },
        }
    }

    /// The configuration of these sizes.
    pub fn config(&self) -> ModelConfig {
        match self.architecture {
            Architecture::EncoderDecoder => ModelConfig::Marian(MarianConfig {
                vocab_size: self.vocabulary,
                d_model: self.width,
                encoder_layers: self.layers,
                decoder_layers: self.layers,
                encoder_attention_heads: self.heads,
                decoder_attention_heads: self.heads,
                encoder_ffn_dim: self.inner,
                decoder_ffn_dim: self.inner,
                // The smallest vocabulary has one token.
                eos_token_id: 0.into(),
                ..MarianConfig::default()
            }),
            Architecture::DecoderOnly => {
                let standard = LlamaConfig::default();
                ModelConfig::Llama(LlamaConfig {
                    vocab_size: self.vocabulary,
                    hidden_size: self.width,
                    intermediate_size: self.inner,
                    num_hidden_layers: self.layers,
                    num_attention_heads: self.heads,
                    num_key_value_heads: Some(self.groups),
                    tie_word_embeddings: self.tied,
                    positions: match self.learned {
                        0 => PositionalEncoding::Rope,
                        _ => PositionalEncoding::Learned,
                    },
                    max_position_embeddings: match self.learned {
                        0 => standard.max_position_embeddings,
                        learned => learned,
                    },
                    ..standard
                })
            }
            Architecture::Qwen3 => ModelConfig::Llama(LlamaConfig {
                convention: Convention::Qwen3,
                vocab_size: self.vocabulary,
                hidden_size: self.width,
                intermediate_size: self.inner,
                num_hidden_layers: self.layers,
                num_attention_heads: self.heads,
                num_key_value_heads: Some(self.groups),
                tie_word_embeddings: self.tied,
                ..LlamaConfig::default()
            }),
            Architecture::Gpt2 => ModelConfig::Gpt2(Gpt2Config {
                vocab_size: self.vocabulary,
                n_positions: self.learned,
                n_embd: self.width,
                n_layer: self.layers,
                n_head: self.heads,
                n_inner: Some(self.inner),
                tie_word_embeddings: self.tied,
                // The smallest vocabulary has one token.
                bos_token_id: Some(0),
                eos_token_id: 0.into(),
                ..Gpt2Config::default()
            }),
            Architecture::Bert => ModelConfig::Bert(BertConfig {
                vocab_size: self.vocabulary,
                max_position_embeddings: self.learned,
                hidden_size: self.width,
                num_hidden_layers: self.layers,
                num_attention_heads: self.heads,
                intermediate_size: self.inner,
                tie_word_embeddings: self.tied,
                ..BertConfig::default()
            }),
        }
    }

    /// The preset of exactly these sizes.
    pub fn preset(&self) -> Option<Known> {
        let of = |preset: &Known| Sizes::of(&preset.config(), self.tokens) == *self;
        Known::ALL.into_iter().find(of)
    }

    /// Sets a preset's sizes; the number of tokens stays.
    pub fn use_preset(&mut self, preset: Known) {
        *self = Sizes::of(&preset.config(), self.tokens);
    }

    /// Changes the architecture; sizes that the new one does not offer get their fixed values.
    pub fn set_architecture(&mut self, architecture: Architecture) {
        self.architecture = architecture;
        match architecture {
            Architecture::EncoderDecoder => {
                (self.groups, self.learned, self.tied) = (self.heads, 0, true);
            }
            Architecture::DecoderOnly => {}
            Architecture::Qwen3 => self.learned = 0,
            Architecture::Gpt2 => self.learn_positions(Gpt2Config::default().n_positions),
            Architecture::Bert => {
                self.learn_positions(BertConfig::default().max_position_embeddings);
            }
        }
    }

    /// Sets as many key and value heads as query heads, and learned positions: `usual` of them if a formula gave them
    /// before.
    fn learn_positions(&mut self, usual: usize) {
        self.groups = self.heads;
        if self.learned == 0 {
            self.learned = usual;
        }
    }

    /// Changes the number of heads, and of key and value heads if each query head has its own.
    pub fn set_heads(&mut self, heads: usize) {
        if self.groups == self.heads {
            self.groups = heads;
        }
        self.heads = heads;
    }
}

impl Parameters for Sizes {
    const CHAPTER: &'static str = "sizes";
    const ENTRIES: &'static [Entry] =
        &[Entry::named("sizes-n").within(1.0, Self::MOST_TOKENS as f64)];
}

impl AddressValue for Architecture {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

#[cfg(test)]
pub(crate) mod tests;
