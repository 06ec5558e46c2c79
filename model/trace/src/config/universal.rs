//! The sizes of a Universal Transformer: an encoder–decoder that uses one block of each at every depth.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_dropout, check_even,
    check_fraction, check_heads, check_not_negative, check_sizes, check_tokens,
};
use super::{Activation, MarianConfig, Tokens, TranslatorConvention};
use crate::Halting;

/// `config.json` of a Universal Transformer ([Dehghani et al. 2018](https://arxiv.org/abs/1807.03819)). One table
/// embeds source and target and makes the logits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UniversalConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the states.
    pub d_model: usize,
    /// Heads of each attention.
    pub attention_heads: usize,
    /// Inner width of the feed-forward networks.
    pub ffn_dim: usize,
    /// The feed-forward networks' non-linearity.
    pub activation_function: Activation,
    /// `T`: how often each block is used at most.
    pub max_depth: usize,
    /// The halting that lets a position use its block less often; absent if every position uses it
    /// `max_depth` times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halting: Option<Halting>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// The padding token, never generated.
    pub pad_token_id: Option<u32>,
    /// The tokens that end a sentence.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that decoding starts from, unless something else names one.
    pub decoder_start_token_id: Option<u32>,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
}

/// The sizes of the page's model.
impl Default for UniversalConfig {
    fn default() -> Self {
        UniversalConfig {
            vocab_size: 8000,
            d_model: 192,
            attention_heads: 6,
            ffn_dim: 512,
            activation_function: Activation::Relu,
            max_depth: 4,
            halting: Some(Halting {
                epsilon: 0.01,
                ponder_cost: 0.01,
            }),
            max_position_embeddings: 256,
            pad_token_id: Some(0),
            eos_token_id: 1.into(),
            decoder_start_token_id: Some(0),
            dropout: 0.0,
        }
    }
}

impl UniversalConfig {
    /// Returns the factor that embeddings are multiplied by before signals are added.
    pub fn embedding_factor(&self) -> f32 {
        (self.d_model as f32).sqrt()
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("d_model", self.d_model, WIDEST),
            ("ffn_dim", self.ffn_dim, WIDEST),
            ("attention_heads", self.attention_heads, MOST_HEADS),
            ("max_depth", self.max_depth, MOST_LAYERS),
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
        check_heads(self.d_model, self.attention_heads)?;
        check_even("d_model", self.d_model)?;
        if let Some(halting) = self.halting {
            check_fraction("halting.epsilon", halting.epsilon.into())?;
            check_not_negative("halting.ponder_cost", halting.ponder_cost.into())?;
        }
        check_dropout(self.dropout)
    }

    /// The Transformer that has weights of its own at each depth, all else being equal. What decides on halting it has
    /// no use for.
    pub fn unshared(&self) -> MarianConfig {
        MarianConfig {
            convention: TranslatorConvention::Marian,
            vocab_size: self.vocab_size,
            decoder_vocab_size: None,
            shares_vocabulary: true,
            d_model: self.d_model,
            encoder_layers: self.max_depth,
            decoder_layers: self.max_depth,
            encoder_attention_heads: self.attention_heads,
            decoder_attention_heads: self.attention_heads,
            encoder_ffn_dim: self.ffn_dim,
            decoder_ffn_dim: self.ffn_dim,
            activation_function: self.activation_function,
            scale_embedding: Some(true),
            max_position_embeddings: self.max_position_embeddings,
            pad_token_id: self.pad_token_id,
            eos_token_id: self.eos_token_id.clone(),
            forced_eos_token_id: Tokens::default(),
            decoder_start_token_id: self.decoder_start_token_id,
            dropout: self.dropout,
        }
    }

    /// The parameters of a model of these sizes: those of a Transformer of one layer, and of each stack's halting a
    /// vector and a bias, which count as output.
    pub fn parameters(&self) -> Parameters {
        let one = UniversalConfig {
            max_depth: 1,
            ..self.clone()
        };
        let halting = match self.halting {
            Some(_) => 2 * (matrix(1, self.d_model) + 1),
            None => 0,
        };
        one.unshared().parameters().and(Part::Output, halting)
    }

    /// The operations of a forward pass over `tokens` source tokens and as many target tokens, at all depths.
    pub fn operations(&self, tokens: usize) -> Operations {
        self.unshared().operations(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_are_named() {
        let refused = |change: fn(&mut UniversalConfig)| {
            let mut config = UniversalConfig::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        let halting = |epsilon, ponder_cost| Halting {
            epsilon,
            ponder_cost,
        };
        assert_eq!(UniversalConfig::default().validate(), Ok(()));
        assert!(refused(|config| config.max_depth = 0).contains("max_depth is 0"));
        assert!(refused(|config| config.attention_heads = 7).contains("192"));
        let fixed = UniversalConfig {
            halting: None,
            ..UniversalConfig::default()
        };
        assert_eq!(fixed.validate(), Ok(()));
        for (wrong, name) in [
            (halting(0.0, 0.0), "epsilon"),
            (halting(f32::NAN, 0.0), "epsilon"),
            (halting(1.0, 0.0), "epsilon"),
            (halting(0.1, -1.0), "ponder_cost"),
            (halting(0.1, f32::INFINITY), "ponder_cost"),
        ] {
            let config = UniversalConfig {
                halting: Some(wrong),
                ..UniversalConfig::default()
            };
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn depth_costs_operations_and_no_parameters() {
        let deep = |max_depth| UniversalConfig {
            max_depth,
            ..UniversalConfig::default()
        };
        assert_eq!(deep(1).parameters(), deep(6).parameters());
        let scores = |depth| deep(depth).operations(10).quadratic();
        assert_eq!(scores(6), 6.0 * scores(1));
        let unshared = |depth| deep(depth).unshared().parameters().of(Part::Attention);
        assert_eq!(unshared(6), 6 * deep(6).parameters().of(Part::Attention));
    }

    #[test]
    fn halting_is_read_by_name() {
        let json = r#"{"epsilon":0.05}"#;
        let halting: Halting = serde_json::from_str(json).unwrap();
        assert_eq!((halting.epsilon, halting.ponder_cost), (0.05, 0.0));
    }
}
