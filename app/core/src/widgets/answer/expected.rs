//! The right answers to questions.

use super::typed::number;
use crate::widgets::numbers::{decimal, grouped};

pub(super) const TRUE: &str = "1";
pub(super) const FALSE: &str = "0";

/// The right answer to a question, and so the kind of answer it takes. Answers are texts, as addresses hold them: the
/// index of an option, a number as it was typed, `1` for true and `0` for false.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// One of several: tokens, or numbers as they are written. Where some are alike, each of them is right.
    OneOf {
        /// The options to choose from.
        options: Vec<String>,
        /// The indices of the right options.
        right: Vec<usize>,
    },
    /// A number, right within a tolerance.
    Number {
        right: f64,
        /// The largest accepted difference from the right number.
        tolerance: f64,
    },
    /// A statement that is true or false.
    Truth(bool),
}

impl Expected {
    /// A whole number, which has to be met.
    pub fn count(right: usize) -> Self {
        Expected::Number {
            right: right as f64,
            tolerance: 0.0,
        }
    }

    /// A number that may be missed by a share of it, and by half of the second decimal in any case.
    pub fn about(right: f32, share: f64) -> Self {
        let right = f64::from(right);
        Expected::Number {
            right,
            tolerance: (right.abs() * share).max(0.006),
        }
    }

    /// Returns true if `answer` is right; `None` if it is not an answer of this kind.
    pub fn is_met_by(&self, answer: &str) -> Option<bool> {
        match self {
            Expected::OneOf { options, right } => {
                let index: usize = answer.parse().ok()?;
                (index < options.len()).then(|| right.contains(&index))
            }
            Expected::Number { right, tolerance } => {
                Some((number(answer)? - right).abs() <= *tolerance)
            }
            Expected::Truth(right) => match answer {
                TRUE => Some(*right),
                FALSE => Some(!right),
                _ => None,
            },
        }
    }

    /// Returns an answer of this kind as it is written, with the names of "true" and "false"; another as it is.
    pub fn written(&self, answer: &str, [yes, no]: [&str; 2]) -> String {
        let written = match self {
            Expected::OneOf { options, .. } => {
                let index = answer.parse::<usize>();
                // What is no index is written as it is.
                index.ok().and_then(|index| options.get(index).cloned())
            }
            Expected::Truth(_) if answer == TRUE => Some(yes.to_owned()),
            Expected::Truth(_) if answer == FALSE => Some(no.to_owned()),
            Expected::Truth(_) | Expected::Number { .. } => None,
        };
        written.unwrap_or_else(|| answer.to_owned())
    }

    /// The right answer as it is written, with the names of "true" and "false".
    pub fn words(&self, [yes, no]: [&str; 2]) -> String {
        match self {
            Expected::OneOf { options, right } => {
                let names = right.iter().filter_map(|&index| options.get(index));
                names.cloned().collect::<Vec<_>>().join(" = ")
            }
            Expected::Number { right, .. } => written(*right),
            Expected::Truth(true) => yes.to_owned(),
            Expected::Truth(false) => no.to_owned(),
        }
    }
}

/// A number, whole ones with their digits in threes.
fn written(value: f64) -> String {
    match value.fract() {
        0.0 if value < 0.0 => format!("−{}", grouped(-value as u64)),
        0.0 => grouped(value as u64),
        _ => decimal(value as f32, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_alike_are_all_right() {
        let expected = Expected::OneOf {
            options: ["Je", "suis", "."].map(str::to_owned).to_vec(),
            right: vec![0, 2],
        };
        assert_eq!(expected.is_met_by("2"), Some(true));
        assert_eq!(expected.is_met_by("1"), Some(false));
        assert_eq!(expected.is_met_by("3"), None);
        assert_eq!(expected.is_met_by(""), None);
        assert_eq!(expected.words(["yes", "no"]), "Je = .");
    }

    #[test]
    fn numbers_have_a_tolerance_and_counts_none() {
        let root = Expected::about(5.656_854, 0.01);
        assert_eq!(root.is_met_by("5.66"), Some(true));
        assert_eq!(root.is_met_by("5,7"), Some(true));
        assert_eq!(root.is_met_by("5.8"), Some(false));
        assert_eq!(root.is_met_by("√32"), None);
        assert_eq!(Expected::count(32).is_met_by("32.0"), Some(true));
        assert_eq!(Expected::count(32).is_met_by("31.99"), Some(false));
        assert_eq!(Expected::about(0.0, 0.01).is_met_by("0.005"), Some(true));
    }

    #[test]
    fn answers_are_written_in_the_words_of_their_kind() {
        let names = ["yes", "no"];
        let token = Expected::OneOf {
            options: vec!["Je".to_owned(), "suis".to_owned()],
            right: vec![0],
        };
        assert_eq!(token.written("1", names), "suis");
        assert_eq!(token.written("7", names), "7");
        assert_eq!(Expected::Truth(true).written(FALSE, names), "no");
        assert_eq!(Expected::count(3).written("2.5", names), "2.5");
    }

    #[test]
    fn true_is_not_false() {
        assert_eq!(Expected::Truth(false).is_met_by(FALSE), Some(true));
        assert_eq!(Expected::Truth(false).is_met_by(TRUE), Some(false));
        assert_eq!(Expected::Truth(true).is_met_by("yes"), None);
    }

    #[test]
    fn right_numbers_are_readable() {
        let words = |expected: Expected| expected.words(["yes", "no"]);
        assert_eq!(words(Expected::count(65_536)), "65,536");
        assert_eq!(words(Expected::about(-3.0, 0.0)), "−3");
        assert_eq!(words(Expected::about(5.656_854, 0.01)), "5.657");
    }
}
