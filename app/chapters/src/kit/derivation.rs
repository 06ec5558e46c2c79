//! Derivations with one wrong step, which the visitor finds.
//!
//! Later steps follow from the wrong number as it is written, so that one step alone is at fault.

use super::{
    evidence::{Evidence, Gap},
    questions::Asked,
    trial::choice,
};
use attention_core::{
    state::Sitting,
    widgets::{Values, numbers::decimal},
};
use attention_trace::fnv1a;

/// The number of steps of a derivation.
pub const STEPS: usize = 4;
/// The smallest difference of a wrong number from the right one, as a share of it.
const APART: f32 = 0.05;
/// The smallest difference in any case.
const LEAST_APART: f32 = 0.02;

/// A derivation that is being written.
#[derive(Debug)]
pub struct Derivation {
    wrong: usize,
    step: usize,
    /// The right text or number of the wrong step.
    should: String,
    is_distinct: bool,
}

impl Derivation {
    fn new(wrong: usize) -> Self {
        Derivation {
            wrong,
            step: 0,
            should: String::new(),
            is_distinct: false,
        }
    }

    /// The number of the next step: the wrong one in the wrong step. With so many decimals.
    pub fn number(&mut self, right: f32, wrong: f32) -> f32 {
        let is_wrong = self.next();
        if is_wrong {
            self.should = decimal(right, 3);
            let apart = (right - wrong).abs();
            self.is_distinct = apart > LEAST_APART.max(APART * right.abs()) && wrong.is_finite();
        }
        if is_wrong { wrong } else { right }
    }

    /// The words of the next step: the wrong ones in the wrong step.
    pub fn words(&mut self, right: impl Into<String>, wrong: impl Into<String>) -> String {
        let (right, wrong) = (right.into(), wrong.into());
        match self.next() {
            true => {
                self.is_distinct = right != wrong;
                self.should = right;
                wrong
            }
            false => right,
        }
    }

    fn next(&mut self) -> bool {
        self.step += 1;
        self.step == self.wrong + 1
    }
}

/// The question for the wrong one of four steps. Sentences differ in the step that is wrong, and both sittings do; a step
/// whose wrong number cannot be told from the right one is left as it is.
///
/// # Errors
/// The gap of the derivation, or [`Gap::Sentence`] if no step can be told to be wrong.
pub fn find_error(
    evidence: &Evidence,
    derive: impl Fn(&mut Derivation) -> Result<Values, Gap>,
) -> Result<Asked, Gap> {
    let first = first_wrong(evidence);
    for wrong in (0..STEPS).map(|further| (first + further) % STEPS) {
        let mut derivation = Derivation::new(wrong);
        let mut values = derive(&mut derivation)?;
        if derivation.is_distinct {
            values.push(("should", derivation.should));
            return Ok(Asked {
                expected: choice(wrong),
                values,
            });
        }
    }
    Err(Gap::Sentence)
}

/// The step that is made wrong, unless it cannot be told.
fn first_wrong(evidence: &Evidence) -> usize {
    let letters = evidence.facts.names.iter().flat_map(|name| name.bytes());
    let seed = fnv1a(letters);
    let form = match evidence.sitting {
        Sitting::Before => 0,
        Sitting::After => 1,
    };
    ((seed >> 32) as usize + form) % STEPS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::evidence::tests::evidence;

    fn squares(derivation: &mut Derivation) -> Result<Values, Gap> {
        let mut value = 2.0;
        for _ in 0..STEPS {
            value = derivation.number(value * value, value + value + 1.0);
        }
        Ok(vec![("last", decimal(value, 0))])
    }

    #[test]
    fn one_step_is_wrong_and_the_others_follow_from_it() {
        let asked = find_error(&evidence(false, &[]), squares).unwrap();
        let wrong = (0..STEPS)
            .find(|&step| asked.expected == choice(step))
            .unwrap();
        let mut value = 2.0f32;
        for step in 0..STEPS {
            value = if step == wrong {
                2.0 * value + 1.0
            } else {
                value * value
            };
        }
        assert_eq!(asked.values[0].1, decimal(value, 0));
        assert_eq!(asked.values[1].0, "should");
    }

    #[test]
    fn both_sittings_and_other_sentences_have_other_wrong_steps() {
        let mut before = evidence(false, &[]);
        let first = find_error(&before, squares).unwrap().expected;
        before.sitting = Sitting::After;
        assert_ne!(find_error(&before, squares).unwrap().expected, first);
        let wrong = |name: &str| {
            let mut evidence = evidence(false, &[]);
            evidence.facts.names[0] = name.to_owned();
            first_wrong(&evidence)
        };
        let found: std::collections::BTreeSet<usize> =
            ["Je", "Tu", "Elle", "我", "你", "Où", "Non", "Oui"]
                .map(wrong)
                .into();
        assert!(found.len() > 2, "{found:?}");
    }

    #[test]
    fn a_step_that_looks_right_is_not_the_wrong_one() {
        let same = |derivation: &mut Derivation| {
            for _ in 0..STEPS {
                derivation.number(1.0, 1.001);
            }
            Ok(vec![])
        };
        assert_eq!(find_error(&evidence(false, &[]), same), Err(Gap::Sentence));
        let last = |derivation: &mut Derivation| {
            for _ in 1..STEPS {
                derivation.words("a", "a");
            }
            derivation.words("a", "b");
            Ok(vec![])
        };
        let asked = find_error(&evidence(false, &[]), last).unwrap();
        assert_eq!(asked.expected, choice(STEPS - 1));
    }
}
