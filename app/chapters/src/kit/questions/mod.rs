//! The questions of the tests: functions from the evidence to what is right.
//!
//! A question of a sentence or a token that does not decide it is refused, so that what is asked has one answer, or
//! equally good ones.

pub mod changes;
pub mod decoding;
mod vectors;
mod weights;

pub use attention_trace::softmax;

pub use self::{decoding::*, vectors::*, weights::*};

use super::{
    evidence::{Evidence, Gap, Need},
    trial::Trial,
};
use attention_core::widgets::{Expected, Values};
use attention_trace::Excerpt;

/// The right answer, with words and numbers for the question's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The right answer or answers.
    pub expected: Expected,
    /// The values of the placeholders in the question and its explanation.
    pub values: Values,
}

impl From<Expected> for Asked {
    fn from(expected: Expected) -> Self {
        Asked {
            expected,
            values: Values::new(),
        }
    }
}

/// The names of the changes, reasons and steps to choose from, as the texts of questions list them.
pub const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A number or a token, computed from the model's numbers for the sentence.
    Computed,
    /// A choice of the change that moves most, of four that are run.
    Causal,
    /// A reason: the three that are offered are told apart by what was measured.
    Why,
    /// A derivation of the sentence's numbers, of which one step is wrong.
    Error,
}

/// Names the changes that a question runs.
pub type Changes = fn(&Evidence) -> Result<Trial, Gap>;

/// A question: the parts `ask-NAME` and `why-NAME` of a kit's text.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The kind of the question.
    pub kind: Kind,
    /// The part that asks.
    pub ask: &'static str,
    /// The part that explains.
    pub why: &'static str,
    /// The matrices it is answered by.
    pub needs: &'static [Need],
    /// The changes that have to be run, from what is needed.
    ///
    /// # Errors
    /// If they cannot be named now.
    pub trial: Option<Changes>,
    /// Computes the right answer.
    ///
    /// # Errors
    /// If there is no single right answer now.
    pub answer: fn(&Evidence) -> Result<Asked, Gap>,
}

/// A question: its name, which is its function's, and what it needs. Another kind than [`Kind::Computed`] is named before
/// it, and the function of a trial after it.
macro_rules! question {
    (@trial) => { None };
    (@trial $trial:ident) => { Some($trial) };
    ($kind:ident: $name:ident $(by $trial:ident)? $(, $need:ident)*) => {
        $crate::kit::questions::Question {
            kind: $crate::kit::questions::Kind::$kind,
            ask: concat!("ask-", stringify!($name)),
            why: concat!("why-", stringify!($name)),
            needs: &[$($crate::kit::evidence::Need::$need),*],
            trial: $crate::kit::questions::question!(@trial $($trial)?),
            answer: $name,
        }
    };
    ($name:ident $(, $need:ident)*) => {
        $crate::kit::questions::question!(Computed: $name $(, $need)*)
    };
}
pub(crate) use question;

/// A choice among the tokens that the query may look at.
pub fn token(evidence: &Evidence, right: Vec<usize>) -> Expected {
    let names = evidence.facts.names.iter().take(evidence.facts.visible());
    Expected::OneOf {
        options: names.cloned().collect(),
        right,
    }
}

/// The places of the largest value, all of them where several are as large.
pub fn largest(values: &[f32]) -> Vec<usize> {
    /// Values this close are as large.
    const ALIKE: f32 = 1e-6;
    let top = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let margin = ALIKE * top.abs().max(ALIKE);
    (0..values.len())
        .filter(|&place| top - values[place] <= margin)
        .collect()
}

/// The place of the largest value.
///
/// # Errors
/// [`Gap::Sentence`] if several are as large, or there is none.
pub fn one_largest(values: &[f32]) -> Result<usize, Gap> {
    match largest(values).as_slice() {
        &[place] => Ok(place),
        _ => Err(Gap::Sentence),
    }
}

/// The largest value, 0 of none.
pub fn top(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

impl Question {
    /// The arrays that answer it, as far as they can be named: those that it needs, and, when these are here, those of its
    /// trial.
    pub fn excerpts(&self, evidence: &Evidence) -> Vec<Excerpt> {
        let needs = self.needs.iter();
        // What the model lacks, the answer says.
        let needs = needs.filter_map(|need| need.excerpt(evidence).ok());
        needs.chain(self.runs(evidence)).collect()
    }

    /// The arrays of its trial; none where it has none or they cannot be named.
    pub fn runs(&self, evidence: &Evidence) -> Vec<Excerpt> {
        let trial = self.trial.map(|trial| trial(evidence)?.excerpts(evidence));
        // What keeps the trial from being run, the answer says.
        trial.and_then(Result::ok).unwrap_or_default()
    }
}

#[cfg(test)]
pub mod tests {
    use attention_trace::{Candidate, Decoding, Search, Step, Token};
    use proptest::prelude::*;

    use super::*;
    use crate::kit::evidence::tests::evidence;

    /// Returns the evidence of a text that was written with these probabilities.
    pub fn evidence_of(probabilities: &[f32]) -> Evidence {
        let mut evidence = evidence(false, &[]);
        evidence.decoding = Some(written(probabilities));
        evidence
    }

    /// A text that was written with these probabilities, at each step another word half as probable.
    pub fn written(probabilities: &[f32]) -> Decoding {
        let candidate = |id, text: &str, probability: f32| Candidate {
            token: Token {
                id,
                text: text.to_owned(),
                unknown: false,
            },
            logit: 0.0,
            log_probability: probability.ln(),
        };
        let step = |(row, &probability): (usize, &f32)| Step {
            row,
            chosen: candidate(7, "▁I", probability),
            forced: false,
            candidates: vec![
                candidate(7, "▁I", probability),
                candidate(8, "▁you", probability / 2.0),
            ],
        };
        Decoding {
            search: Search::Greedy,
            hypotheses: vec![],
            steps: probabilities.iter().enumerate().map(step).collect(),
            considered: vec![],
            draws: vec![],
        }
    }

    /// Returns true if an answer is right; `None` if it cannot be read.
    pub fn met(asked: Result<Asked, Gap>, given: &str) -> Option<bool> {
        asked.unwrap().expected.is_met_by(given)
    }

    #[test]
    fn the_largest_are_those_that_are_alike() {
        assert_eq!(largest(&[0.1, 0.45, 0.45]), [1, 2]);
        assert_eq!(one_largest(&[0.1, 0.45, 0.45]), Err(Gap::Sentence));
        assert_eq!(one_largest(&[-3.0, -2.0]), Ok(1));
        assert_eq!(one_largest(&[]), Err(Gap::Sentence));
    }

    proptest! {
        #[test]
        fn a_row_has_a_largest_value(values in prop::collection::vec(-1e3f32..1e3, 1..9)) {
            let places = largest(&values);
            prop_assert!(!places.is_empty());
            for place in places {
                prop_assert!(values.iter().all(|&value| value <= values[place] + 1e-2));
            }
        }
    }
}
