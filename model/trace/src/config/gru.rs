//! The sizes of a recurrent encoder–decoder: GRUs, with or without attention between them.

use serde::{Deserialize, Serialize};

use super::count::matrix;
use super::error::{
    ConfigError, LARGEST_TABLE, WIDEST, check_dropout, check_even, check_sizes, check_tokens,
};
use super::tokens::Tokens;
use crate::{AlignmentScore, RecurrentAttention};

/// `config.json` of an encoder–decoder of gated recurrent units ([Cho et al. 2014](https://arxiv.org/abs/1406.1078)).
/// One table embeds source and target and makes the logits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GruConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// The width of the embeddings.
    pub embedding_size: usize,
    /// Width of the decoder's states and of the encoder's; of a bidirectional encoder's, both directions together.
    pub hidden_size: usize,
    /// True if the encoder reads the source in both directions.
    #[serde(default)]
    pub bidirectional: bool,
    /// The decoder's way of attending to the encoder's states.
    pub attention: RecurrentAttention,
    /// The padding token, never generated.
    pub pad_token_id: Option<u32>,
    /// The tokens that end a sentence.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that decoding starts from, unless something else names one.
    pub decoder_start_token_id: Option<u32>,
    /// Dropout rate in training, of embeddings and of what makes the logits.
    #[serde(default)]
    pub dropout: f64,
}

/// The sizes of the page's recurrent models, without attention.
impl Default for GruConfig {
    fn default() -> Self {
        GruConfig {
            vocab_size: 8000,
            embedding_size: 192,
            hidden_size: 256,
            bidirectional: false,
            attention: RecurrentAttention::None,
            pad_token_id: Some(0),
            eos_token_id: 1.into(),
            decoder_start_token_id: Some(0),
            dropout: 0.0,
        }
    }
}

impl GruConfig {
    /// Returns the factor that embeddings are multiplied by before the recurrence reads them.
    pub fn embedding_factor(&self) -> f32 {
        (self.embedding_size as f32).sqrt()
    }

    /// Width of the states of one direction of the encoder.
    pub fn direction_size(&self) -> usize {
        match self.bidirectional {
            true => self.hidden_size / 2,
            false => self.hidden_size,
        }
    }

    /// Returns the number of values that the decoder's first state is computed from if the encoder is bidirectional:
    /// the end of the way back (Bahdanau et al. 2014, appendix A.2.2), and without attention the ends of both ways.
    pub fn summary_size(&self) -> usize {
        match self.attention {
            RecurrentAttention::None => self.hidden_size,
            RecurrentAttention::Bahdanau | RecurrentAttention::Luong { .. } => {
                self.direction_size()
            }
        }
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            ("embedding_size", self.embedding_size, WIDEST),
            ("hidden_size", self.hidden_size, WIDEST),
        ])?;
        if let RecurrentAttention::Luong {
            window: Some(window),
            ..
        } = self.attention
        {
            check_sizes(&[("window", window, LARGEST_TABLE)])?;
        }
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
        if self.bidirectional {
            check_even("hidden_size", self.hidden_size)?;
        }
        check_dropout(self.dropout)
    }

    /// The parameters of a model of these sizes, all of them.
    pub fn parameters(&self) -> u64 {
        let (e, h) = (self.embedding_size, self.hidden_size);
        let direction = self.direction_size();
        let directions = (h / direction) as u64;
        let (context, read_out) = match self.attention {
            RecurrentAttention::None => (0, h),
            RecurrentAttention::Bahdanau => (h, 2 * h),
            RecurrentAttention::Luong { .. } => (0, 2 * h),
        };
        // Three gates, each with a matrix and a bias for what is read and for the state; a context has no bias.
        let encoder = directions * (matrix(3 * direction, e + direction) + 6 * direction as u64);
        let decoder = matrix(3 * h, e + h + context) + 6 * h as u64;
        let first_state = match self.bidirectional {
            true => matrix(h, self.summary_size()) + h as u64,
            false => 0,
        };
        let output = matrix(e, read_out) + e as u64 + self.vocab_size as u64;
        let table = matrix(self.vocab_size, e);
        table + encoder + first_state + decoder + self.alignment_parameters() + output
    }

    fn alignment_parameters(&self) -> u64 {
        let h = self.hidden_size;
        let score = match self.attention.score() {
            None | Some(AlignmentScore::Dot) => 0,
            Some(AlignmentScore::General) => matrix(h, h),
            Some(AlignmentScore::Additive) => 2 * matrix(h, h) + h as u64,
        };
        match self.attention.window() {
            Some(_) => score + matrix(h, h) + h as u64,
            None => score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_attending_is_read_by_name() {
        let read = |json: &str| serde_json::from_str::<RecurrentAttention>(json).unwrap();
        assert_eq!(read(r#"{"kind":"none"}"#), RecurrentAttention::None);
        assert_eq!(read(r#"{"kind":"bahdanau"}"#), RecurrentAttention::Bahdanau);
        assert_eq!(
            read(r#"{"kind":"luong","score":"general","window":3}"#),
            RecurrentAttention::Luong {
                score: AlignmentScore::General,
                window: Some(3)
            }
        );
        let concat = read(r#"{"kind":"luong","score":"concat"}"#);
        assert_eq!(concat.score(), Some(AlignmentScore::Additive));
        assert_eq!(concat.window(), None);
    }

    #[test]
    fn sizes_that_do_not_fit_are_named() {
        let refused = |change: fn(&mut GruConfig)| {
            let mut config = GruConfig::default();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(GruConfig::default().validate(), Ok(()));
        assert!(refused(|config| config.hidden_size = 0).contains("hidden_size is 0"));
        assert!(refused(|config| config.vocab_size = 1).contains("eos_token_id"));
        let odd = |config: &mut GruConfig| {
            config.bidirectional = true;
            config.hidden_size = 9;
        };
        assert!(refused(odd).contains("even"));
        let no_window = |config: &mut GruConfig| {
            config.attention = RecurrentAttention::Luong {
                score: AlignmentScore::Dot,
                window: Some(0),
            };
        };
        assert!(refused(no_window).contains("window is 0"));
    }
}
