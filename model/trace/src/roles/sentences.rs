//! The sentences that the roles of heads are measured on, and the progress of the measurement.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{ModelSpec, text::is_blank};

/// A sentence that a model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleSentence {
    /// The number of its line, from 1.
    pub line: usize,
    /// The text that the model reads: the source, if it has one.
    pub text: String,
    /// The target that an encoder–decoder reads (teacher forcing); `None` if it reads what it writes by greedy search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl RoleSentence {
    /// Returns the sentence in a line of a file: the text alone or, separated by a tab, a target and its source. Only
    /// an encoder–decoder reads both; other models read the first column. `None` if a part that is read is blank.
    pub fn of(number: usize, line: &str, spec: &ModelSpec) -> Option<Self> {
        let mut columns = line.split('\t').map(str::trim);
        let first = columns.next().unwrap_or_default();
        let reads_both = spec.encoder.is_some() && spec.decoder.is_some();
        let (text, target) = match columns.next().filter(|_| reads_both) {
            Some(source) => (source, Some(first)),
            None => (first, None),
        };
        let is_read = !is_blank(text) && !target.is_some_and(is_blank);
        is_read.then(|| RoleSentence {
            line: number,
            text: text.to_owned(),
            target: target.map(str::to_owned),
        })
    }
}

/// The question for the roles of all heads of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolesQuestion {
    /// The sentences, in the order in which they are read.
    pub sentences: Vec<RoleSentence>,
    /// Tokens that an encoder–decoder begins with where it writes the target, as those that name a language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<u32>,
    /// The seed of the random tokens that induction is measured on.
    pub seed: u64,
}

/// The progress of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolesProgress {
    /// The number of sentences that were read or skipped.
    pub sentences: usize,
    /// The number of random sequences that were read.
    pub sequences: usize,
    /// The number of random sequences in all; 0 for a model that is not tested for induction.
    pub of_sequences: usize,
    /// The sentences that the model could not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedSentence>,
}

/// A sentence that a model could not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedSentence {
    /// The number of its line, from 1.
    pub line: usize,
    /// The reason why the model did not read it.
    pub reason: SkipReason,
}

/// The reason why a model does not read a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The sentence has more tokens than the model takes, or than weights fit in memory for.
    #[error("it has {tokens} tokens, more than the {limit} that the model takes")]
    TooLong {
        /// The tokens of the sentence.
        tokens: usize,
        /// The most tokens that the model takes.
        limit: usize,
    },
    /// The tokenizer or the model refuses the sentence, in its own words.
    #[error("{0}")]
    Refused(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{LlamaConfig, MarianConfig};

    #[test]
    fn an_encoder_decoder_reads_the_second_column_and_is_given_the_first() {
        let spec = MarianConfig::default().spec();
        let pair = RoleSentence::of(3, "Yes.\tOui.\tfr", &spec).unwrap();
        assert_eq!(
            (pair.line, pair.text.as_str(), pair.target.as_deref()),
            (3, "Oui.", Some("Yes."))
        );
        let alone = RoleSentence::of(4, " Oui. ", &spec).unwrap();
        assert_eq!((alone.text.as_str(), alone.target), ("Oui.", None));
        assert_eq!(RoleSentence::of(5, "\tOui.", &spec), None);
        assert_eq!(RoleSentence::of(6, "Yes.\t ", &spec), None);
    }

    #[test]
    fn a_model_of_one_text_reads_the_first_column() {
        let spec = LlamaConfig::default().spec();
        let read = RoleSentence::of(1, "Yes.\tOui.", &spec).unwrap();
        assert_eq!((read.text.as_str(), read.target), ("Yes.", None));
        assert_eq!(RoleSentence::of(1, " \tOui.", &spec), None);
    }

    #[test]
    fn a_question_survives_the_way_to_the_worker() {
        let question = RolesQuestion {
            sentences: vec![RoleSentence {
                line: 1,
                text: "a".to_owned(),
                target: None,
            }],
            forced: vec![],
            seed: 16,
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(json, r#"{"sentences":[{"line":1,"text":"a"}],"seed":16}"#);
        assert_eq!(
            serde_json::from_str::<RolesQuestion>(&json).unwrap(),
            question
        );
    }
}
