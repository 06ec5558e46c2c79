//! The sizes of an encoder in BERT's layout, with the head that guesses masked words or without it.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_epsilon, check_heads,
    check_scale, check_sizes, check_switches, check_tokens,
};
use crate::Nonlinearity;

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncoderConvention {
    /// `BertForMaskedLM`: positions count from the table's first row.
    #[default]
    Bert,
    /// `RobertaForMaskedLM`: positions count from the row after the padding token's, padding has that row, and the
    /// head's non-linearity is GELU.
    Roberta,
    /// `XLMRobertaForMaskedLM`, which is computed as RoBERTa.
    XlmRoberta,
    /// `CamembertForMaskedLM`, which is computed as RoBERTa.
    Camembert,
    /// `DistilBertForMaskedLM`: no token types.
    #[serde(rename = "distilbert")]
    DistilBert,
}

impl EncoderConvention {
    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            EncoderConvention::Bert => "bert",
            EncoderConvention::Roberta => "roberta",
            EncoderConvention::XlmRoberta => "xlm-roberta",
            EncoderConvention::Camembert => "camembert",
            EncoderConvention::DistilBert => "distilbert",
        }
    }

    /// True if positions count from the row after the padding token's.
    fn counts_from_padding(self) -> bool {
        match self {
            EncoderConvention::Bert | EncoderConvention::DistilBert => false,
            EncoderConvention::Roberta
            | EncoderConvention::XlmRoberta
            | EncoderConvention::Camembert => true,
        }
    }
}

/// `config.json` of a checkpoint of BERT or RoBERTa; the fields that shape the model, with the defaults of
/// `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BertConfig {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type")]
    pub convention: EncoderConvention,
    /// True if the checkpoint has the head that gives the logits of masked words: a fact of its tensors, which
    /// `config.json` does not give.
    #[serde(skip)]
    pub has_head: bool,
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
    /// The non-linearity of the feed-forward networks, and of BERT's head that guesses words.
    pub hidden_act: Nonlinearity,
    /// Rows of the table of learned positions: in BERT, the longest sequence in tokens.
    pub max_position_embeddings: usize,
    /// The number of rows in the table of token types, which distinguish a first text from a second; 0 in DistilBERT,
    /// which has no such table.
    pub type_vocab_size: usize,
    /// The ε of the layer normalisations.
    pub layer_norm_eps: f64,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// The way of encoding positions, as files before `transformers` 5 name it; only `absolute` is
    /// implemented.
    pub position_embedding_type: String,
    /// True if tokens see only those before them; not implemented.
    pub is_decoder: bool,
    /// True if layers attend to another model's output; not implemented.
    pub add_cross_attention: bool,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// The id of the padding token; see [`padding`](Self::padding).
    pub pad_token_id: Option<u32>,
}

/// The base model of [BERT](https://arxiv.org/abs/1810.04805), without capitals.
impl Default for BertConfig {
    fn default() -> Self {
        BertConfig {
            convention: EncoderConvention::Bert,
            has_head: true,
            vocab_size: 30_522,
            hidden_size: 768,
            num_hidden_layers: 12,
            num_attention_heads: 12,
            intermediate_size: 3072,
            hidden_act: Nonlinearity::Gelu,
            max_position_embeddings: 512,
            type_vocab_size: 2,
            layer_norm_eps: 1e-12,
            initializer_range: 0.02,
            position_embedding_type: ABSOLUTE.into(),
            is_decoder: false,
            add_cross_attention: false,
            tie_word_embeddings: true,
            pad_token_id: None,
        }
    }
}

const ABSOLUTE: &str = "absolute";

impl BertConfig {
    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.hidden_size / self.num_attention_heads.max(1)
    }

    /// The id of the padding token: that of `config.json`, else the convention's.
    pub fn padding(&self) -> u32 {
        let usual = u32::from(self.convention.counts_from_padding());
        self.pad_token_id.unwrap_or(usual)
    }

    /// The row of the position table that the first token of a text has.
    pub fn first_position(&self) -> usize {
        match self.convention.counts_from_padding() {
            true => (self.padding() as usize).saturating_add(1),
            false => 0,
        }
    }

    /// The longest sequence, in tokens.
    pub fn max_tokens(&self) -> usize {
        self.max_position_embeddings
            .saturating_sub(self.first_position())
    }

    /// The non-linearity of the head that guesses words.
    pub fn head_activation(&self) -> Nonlinearity {
        match self.convention.counts_from_padding() {
            true => Nonlinearity::Gelu,
            false => self.hidden_act,
        }
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or a switch that is not implemented.
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
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        if self.convention != EncoderConvention::DistilBert {
            check_sizes(&[("type_vocab_size", self.type_vocab_size, LARGEST_TABLE)])?;
        }
        check_tokens(&[("pad_token_id", &[self.padding()])], self.vocab_size)?;
        if self.max_tokens() == 0 {
            return Err(ConfigError::NoPosition {
                rows: self.max_position_embeddings,
                first: self.first_position(),
            });
        }
        check_switches(&[
            ("is_decoder", self.is_decoder, false),
            ("add_cross_attention", self.add_cross_attention, false),
        ])?;
        if self.position_embedding_type != ABSOLUTE {
            return Err(ConfigError::Unsupported {
                name: "position_embedding_type",
                value: self.position_embedding_type.clone(),
                implemented: ABSOLUTE,
            });
        }
        check_heads(self.hidden_size, self.num_attention_heads)?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("layer_norm_eps", self.layer_norm_eps)
    }

    /// The parameters of a model of these sizes, with the head that guesses masked words if there is one. What
    /// published files hold beside them, the pooler and heads for other purposes, is not counted.
    pub fn parameters(&self) -> Parameters {
        let (d, inner) = (self.hidden_size, self.intermediate_size);
        let table = matrix(self.vocab_size, d);
        // A gain and a bias for each dimension.
        let norm = 2 * d as u64;
        let layer = Parameters::default()
            .and(Part::Attention, 4 * (matrix(d, d) + d as u64))
            .and(Part::FeedForward, 2 * matrix(d, inner) + (inner + d) as u64)
            .and(Part::Norms, 2 * norm);
        let encoder = layer
            .times(self.num_hidden_layers)
            .and(Part::Embedding, table + matrix(self.type_vocab_size, d))
            .and(Part::Positions, matrix(self.max_position_embeddings, d))
            .and(Part::Norms, norm);
        if !self.has_head {
            return encoder;
        }
        encoder
            .and(Part::Norms, norm)
            // The head's own layer, and a bias for each token.
            .and(Part::Output, matrix(d, d) + (d + self.vocab_size) as u64)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`, with logits for each of them if there is a head.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, layers) = (self.hidden_size, self.num_hidden_layers as u64);
        let inner = matrix(d, self.intermediate_size);
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * layers),
            feed_forward: Operations::product(tokens, 2 * inner * layers),
            output: match self.has_head {
                true => Operations::product(tokens, matrix(d, d + self.vocab_size)),
                false => 0.0,
            },
            scores: Operations::attention(tokens, d) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generates, Site};

    /// `BertForMaskedLM` with bert-base-uncased's and bert-large-uncased's configurations.
    #[test]
    fn published_models_have_the_parameters_of_transformers() {
        let base = BertConfig::default();
        assert_eq!(base.validate(), Ok(()));
        assert_eq!(base.parameters().total(), 109_514_298);
        let large = BertConfig {
            hidden_size: 1024,
            num_hidden_layers: 24,
            num_attention_heads: 16,
            intermediate_size: 4096,
            ..base
        };
        assert_eq!(large.parameters().total(), 335_174_458);
    }

    #[test]
    fn switches_that_are_not_implemented_are_refused_by_name() {
        let refused = |change: fn(&mut BertConfig)| {
            let mut config = BertConfig::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|config| config.position_embedding_type = "relative_key".into()),
            "position_embedding_type is relative_key; only absolute is implemented"
        );
        assert!(refused(|config| config.is_decoder = true).contains("is_decoder"));
        assert!(refused(|config| config.num_attention_heads = 5).contains("5 heads"));
        assert!(refused(|config| config.type_vocab_size = 0).contains("type_vocab_size"));
        assert_eq!(
            refused(|config| {
                config.convention = EncoderConvention::Roberta;
                config.max_position_embeddings = 2;
            }),
            "max_position_embeddings is 2, but positions count from row 2: there is none for a token"
        );
    }

    /// `RobertaForMaskedLM` with roberta-base's configuration, and its 512 tokens.
    #[test]
    fn robertas_positions_begin_after_the_row_of_padding() {
        let roberta = BertConfig {
            convention: EncoderConvention::Roberta,
            vocab_size: 50_265,
            max_position_embeddings: 514,
            type_vocab_size: 1,
            ..BertConfig::default()
        };
        assert_eq!(roberta.validate(), Ok(()));
        assert_eq!((roberta.padding(), roberta.first_position()), (1, 2));
        assert_eq!(roberta.spec().max_tokens, Some(512));
        assert_eq!(roberta.parameters().total(), 124_697_433);
        let largest = BertConfig {
            pad_token_id: Some(u32::MAX),
            ..roberta
        };
        assert!(largest.validate().is_err());
    }

    #[test]
    fn a_model_without_a_head_generates_nothing() {
        let headless = BertConfig {
            has_head: false,
            ..BertConfig::default()
        };
        let (bare, whole) = (headless.spec(), BertConfig::default().spec());
        assert_eq!(bare.generates, Generates::Nothing);
        assert!(!bare.has(Site::LOGITS) && whole.has(Site::LOGITS));
        assert!(!bare.output_layer && !bare.output_bias);
        assert_eq!(headless.parameters().of(Part::Output), 0);
        assert_eq!(headless.operations(10).output, 0.0);
        // `BertModel` without its pooler.
        assert_eq!(headless.parameters().total(), 108_891_648);
    }

    #[test]
    fn the_model_type_names_the_convention() {
        for name in ["bert", "roberta", "xlm-roberta", "camembert", "distilbert"] {
            let config = serde_json::json!({"model_type": name});
            let config: BertConfig = serde_json::from_value(config).unwrap();
            assert_eq!(config.convention.model_type(), name);
            assert!(config.has_head);
        }
    }

    #[test]
    fn operations_follow_the_formulas() {
        let config = BertConfig::default();
        let (n, d, v) = (10.0, 768.0, 30_522.0);
        let operations = config.operations(10);
        let linear = 2.0 * n * (12.0 * 12.0 * d * d + d * d + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 12.0 * 4.0 * n * n * d);
    }
}
