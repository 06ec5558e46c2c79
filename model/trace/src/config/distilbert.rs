//! The sizes of an encoder in DistilBERT's layout.

use serde::{Deserialize, Serialize};

use super::bert::{BertConfig, EncoderConvention};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_heads, check_sizes,
};
use crate::Nonlinearity;

/// `config.json` of a DistilBERT checkpoint; the fields that shape the model, with the defaults of `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DistilBertConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub dim: usize,
    /// The number of layers.
    pub n_layers: usize,
    /// Heads of each layer.
    pub n_heads: usize,
    /// Inner width of the feed-forward networks.
    pub hidden_dim: usize,
    /// The non-linearity of the feed-forward networks, and of the head that guesses words.
    pub activation: Nonlinearity,
    /// Rows of the table of learned positions: the longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// The id of the padding token.
    pub pad_token_id: Option<u32>,
}

/// The model of [DistilBERT](https://arxiv.org/abs/1910.01108), without capitals.
impl Default for DistilBertConfig {
    fn default() -> Self {
        DistilBertConfig {
            vocab_size: 30_522,
            dim: 768,
            n_layers: 6,
            n_heads: 12,
            hidden_dim: 3072,
            activation: Nonlinearity::Gelu,
            max_position_embeddings: 512,
            initializer_range: 0.02,
            tie_word_embeddings: true,
            pad_token_id: None,
        }
    }
}

/// The ε of every layer normalisation, which `config.json` does not give.
const NORM_EPSILON: f64 = 1e-12;

impl DistilBertConfig {
    /// Returns the same sizes by BERT's names.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, by its name in this family's files.
    pub fn bert(&self) -> Result<BertConfig, ConfigError> {
        check_sizes(&[
            ("dim", self.dim, WIDEST),
            ("hidden_dim", self.hidden_dim, WIDEST),
            ("n_heads", self.n_heads, MOST_HEADS),
            ("n_layers", self.n_layers, MOST_LAYERS),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
        ])?;
        check_heads(self.dim, self.n_heads)?;
        let config = BertConfig {
            convention: EncoderConvention::DistilBert,
            vocab_size: self.vocab_size,
            hidden_size: self.dim,
            num_hidden_layers: self.n_layers,
            num_attention_heads: self.n_heads,
            intermediate_size: self.hidden_dim,
            hidden_act: self.activation,
            max_position_embeddings: self.max_position_embeddings,
            type_vocab_size: 0,
            layer_norm_eps: NORM_EPSILON,
            initializer_range: self.initializer_range,
            tie_word_embeddings: self.tie_word_embeddings,
            pad_token_id: self.pad_token_id,
            ..BertConfig::default()
        };
        config.validate()?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `DistilBertForMaskedLM` with distilbert-base-uncased's configuration.
    #[test]
    fn the_published_model_has_the_parameters_of_transformers() {
        let config = DistilBertConfig::default().bert().unwrap();
        assert_eq!(config.parameters().total(), 66_985_530);
        assert_eq!(config.spec().segments, 0);
    }

    #[test]
    fn sizes_are_refused_by_their_names_in_the_file() {
        let refused = |change: fn(&mut DistilBertConfig)| {
            let mut config = DistilBertConfig::default();
            change(&mut config);
            config.bert().unwrap_err().to_string()
        };
        assert!(refused(|config| config.dim = 0).contains("dim"));
        assert!(refused(|config| config.n_layers = usize::MAX).contains("n_layers"));
        assert!(refused(|config| config.n_heads = 5).contains("5 heads"));
        assert!(refused(|config| config.pad_token_id = Some(30_522)).contains("pad_token_id"));
    }
}
