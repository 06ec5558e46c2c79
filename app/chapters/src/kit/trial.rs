//! Trials: changes of the pass on screen that are really run, and how far each of them moves what is measured.

use attention_trace::{Array, Edit, Excerpt, Site, Slice, log_probability};

use super::{
    evidence::{Evidence, Gap},
    questions::{Asked, LETTERS, decoding::step, one_largest},
};
use attention_core::{
    edits::signed,
    widgets::{
        Expected, Values, label,
        numbers::{decimal, share_of_one},
    },
};

/// The smallest effect that is taken for one.
const LEAST: f32 = 1e-3;
/// The largest share of the largest effect that the second may have, so that one change moves most.
const CLOSEST: f32 = 0.95;
/// The smallest effect whose sign shows in the digits of the answer.
const VISIBLE: f32 = 5e-5;
/// The smallest change of `log p`, in nats, that counts for a reason.
const FELT: f32 = 0.05;

/// The quantity that the changes of a trial move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `log p` of the token of the step on screen, in nats.
    LogProbability,
    /// A row of an array, by the length of its change relative to its own length.
    Row(Site, usize),
}

impl Measure {
    /// The final vector of the token that is read.
    pub fn output(evidence: &Evidence) -> Self {
        let facts = &evidence.facts;
        let stack = facts.head.attention.kind.stack();
        Measure::Row(facts.spec.stack_output(stack), facts.query)
    }

    /// The numbers that it is computed from.
    ///
    /// # Errors
    /// [`Gap::Model`] if the model computes no such numbers, or writes nothing.
    fn excerpt(self, evidence: &Evidence) -> Result<Excerpt, Gap> {
        let (site, row) = match self {
            Measure::LogProbability => (Site::LOGITS, step(evidence)?.row),
            Measure::Row(site, row) => (site, row),
        };
        match evidence.facts.spec.has(site) {
            true => Ok(Excerpt::new(site, Slice::Rows(row, row + 1))),
            false => Err(Gap::Model),
        }
    }

    /// The effect of a change: signed for `log p`, a share for a row.
    fn effect(self, evidence: &Evidence, before: &Array, after: &Array) -> Result<f32, Gap> {
        match self {
            Measure::LogProbability => {
                let token = step(evidence)?.chosen.token.id as usize;
                let log_p = |logits: &Array| log_probability(&logits.data, token).ok_or(Gap::Model);
                Ok(log_p(after)? - log_p(before)?)
            }
            Measure::Row(..) => {
                let apart = before.data.iter().zip(&after.data).map(|(a, b)| a - b);
                Ok(length(apart) / length(before.data.iter().copied()).max(f32::MIN_POSITIVE))
            }
        }
    }
}

/// Changes of the pass on screen, each run by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The quantity that is measured.
    pub measure: Measure,
    /// The edits of each change; a question that asks which one moves most has four.
    pub changes: Vec<Vec<Edit>>,
    /// The names of the changes and other words of the question.
    pub values: Values,
}

impl Trial {
    /// The numbers before any change, then those after each of them.
    ///
    /// # Errors
    /// [`Gap::Model`] if the model cannot be changed so, or that changes nothing in it.
    pub fn excerpts(&self, evidence: &Evidence) -> Result<Vec<Excerpt>, Gap> {
        let spec = &evidence.facts.spec;
        let mut edits = self.changes.iter().flatten();
        if edits.any(|edit| edit.changes_nothing(spec) || edit.fault(spec).is_some()) {
            return Err(Gap::Model);
        }
        let before = self.measure.excerpt(evidence)?;
        let after = self
            .changes
            .iter()
            .map(|edits| before.clone().with_edits(edits.clone()));
        Ok([before.clone()].into_iter().chain(after).collect())
    }

    /// The effect of each change.
    ///
    /// # Errors
    /// [`Gap::Loading`] while a pass is not here.
    pub fn effects(&self, evidence: &Evidence) -> Result<Vec<f32>, Gap> {
        let excerpts = self.excerpts(evidence)?;
        let before = evidence.array(&excerpts[0])?;
        let effect = |excerpt| {
            self.measure
                .effect(evidence, before, evidence.array(excerpt)?)
        };
        excerpts[1..].iter().map(effect).collect()
    }

    /// The words of the question, with the effects as `effect_a` to `effect_d`.
    pub fn words(&self, effects: &[f32]) -> Values {
        const NAMES: [&str; 4] = ["effect_a", "effect_b", "effect_c", "effect_d"];
        let written = effects.iter().map(|&effect| match self.measure {
            Measure::LogProbability => signed(effect),
            Measure::Row(..) => share_of_one(effect, 3),
        });
        let effects = NAMES.into_iter().zip(written);
        self.values.iter().cloned().chain(effects).collect()
    }

    /// The question which of the changes moves most.
    ///
    /// # Errors
    /// [`Gap::Sentence`] if none moves anything, or two move as much.
    pub fn moves_most(&self, evidence: &Evidence) -> Result<Asked, Gap> {
        let effects = self.effects(evidence)?;
        Ok(Asked {
            expected: choice(clearly_largest(&sizes(&effects))?),
            values: self.words(&effects),
        })
    }

    /// The question for one of three reasons: `reason` names it by the change that moves `log p` most, and the third one
    /// holds if none is felt.
    ///
    /// # Errors
    /// [`Gap::Sentence`] if two changes move as much.
    pub fn tells_reason(
        &self,
        evidence: &Evidence,
        reason_of: impl Fn(usize) -> usize,
    ) -> Result<Asked, Gap> {
        let effects = self.effects(evidence)?;
        let sizes = sizes(&effects);
        let right = match sizes.iter().copied().fold(0.0, f32::max) {
            most if most < FELT => 2,
            _ => reason_of(clearly_largest(&sizes)?),
        };
        Ok(Asked {
            expected: reason(right),
            values: self.words(&effects),
        })
    }

    /// The question how many of the changes make the token of the step more probable.
    ///
    /// # Errors
    /// [`Gap::Sentence`] if one of them moves it too little to say.
    pub fn raises(&self, evidence: &Evidence) -> Result<Asked, Gap> {
        let effects = self.effects(evidence)?;
        if effects.iter().any(|effect| effect.abs() < VISIBLE) {
            return Err(Gap::Sentence);
        }
        let raised = effects.iter().filter(|effect| **effect > 0.0);
        Ok(Asked {
            expected: Expected::count(raised.count()),
            values: self.words(&effects),
        })
    }

    /// The question after how many of the changes another token is the most probable one.
    ///
    /// # Errors
    /// [`Gap::Model`] of a trial that does not measure logits, [`Gap::Loading`] while a pass is not here.
    pub fn changes_token(&self, evidence: &Evidence) -> Result<Asked, Gap> {
        if self.measure != Measure::LogProbability {
            return Err(Gap::Model);
        }
        let excerpts = self.excerpts(evidence)?;
        let tops: Result<Vec<usize>, Gap> = excerpts
            .iter()
            .map(|excerpt| one_largest(&evidence.array(excerpt)?.data))
            .collect();
        let tops = tops?;
        let changed = tops[1..].iter().filter(|top| **top != tops[0]);
        Ok(Asked {
            expected: Expected::count(changed.count()),
            values: self.words(&self.effects(evidence)?),
        })
    }
}

/// The sizes of effects, whatever their signs.
pub fn sizes(effects: &[f32]) -> Vec<f32> {
    effects.iter().map(|effect| effect.abs()).collect()
}

/// A choice among the letters of four changes or reasons.
pub fn choice(right: usize) -> Expected {
    Expected::OneOf {
        options: LETTERS.map(str::to_owned).to_vec(),
        right: vec![right],
    }
}

/// A choice among three reasons.
pub fn reason(right: usize) -> Expected {
    Expected::OneOf {
        options: LETTERS[..3]
            .iter()
            .map(|&letter| letter.to_owned())
            .collect(),
        right: vec![right],
    }
}

/// The place of the largest of several sizes.
///
/// # Errors
/// [`Gap::Sentence`] if it is nothing, or another is nearly as large.
pub fn clearly_largest(sizes: &[f32]) -> Result<usize, Gap> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&one, &other| sizes[other].total_cmp(&sizes[one]));
    match order[..] {
        [first, second, ..] if sizes[first] > LEAST && sizes[second] < CLOSEST * sizes[first] => {
            Ok(first)
        }
        _ => Err(Gap::Sentence),
    }
}

/// The token of the step on screen and its probability, as words of a question.
///
/// # Errors
/// [`Gap::Model`] if the model has written nothing.
pub fn step_words(evidence: &Evidence) -> Result<Values, Gap> {
    let step = step(evidence)?;
    let probability = step.chosen.log_probability.exp();
    Ok(vec![
        ("token", label(&step.chosen.token)),
        ("probability", decimal(probability, 3)),
    ])
}

fn length(values: impl Iterator<Item = f32>) -> f32 {
    values.map(|value| value * value).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::questions::tests::evidence_of;

    #[test]
    fn log_p_of_a_change_is_that_of_the_step_s_token() {
        let mut evidence = evidence_of(&[0.5]);
        let trial = Trial {
            measure: Measure::LogProbability,
            changes: [0, 1, 2, 3]
                .map(|head| {
                    vec![Edit::ScaleHead {
                        attention: evidence.facts.head.attention,
                        head,
                        factor: 0.0,
                    }]
                })
                .to_vec(),
            values: vec![],
        };
        assert_eq!(trial.effects(&evidence), Err(Gap::Loading));
        // Token 7 of ten; each pass gives it another logit.
        let logits = [0.0, 0.0, -1.0, 0.5, 2.0];
        for (excerpt, logit) in trial.excerpts(&evidence).unwrap().into_iter().zip(logits) {
            let mut data = vec![0.0; 10];
            data[7] = logit;
            evidence.add(
                excerpt,
                Array {
                    shape: vec![1, 10],
                    data,
                },
            );
        }
        let asked = trial.moves_most(&evidence).unwrap();
        assert_eq!(asked.expected, choice(3));
        let effects = trial.effects(&evidence).unwrap();
        assert_eq!(effects[0], 0.0);
        assert!(effects[1] < 0.0 && effects[2] > 0.0);
        // The first change moves nothing.
        assert_eq!(trial.raises(&evidence), Err(Gap::Sentence));
        let log_p = 2.0 - (9.0 + 2.0f32.exp()).ln() + 10.0f32.ln();
        assert!((effects[3] - log_p).abs() < 1e-5);
    }

    #[test]
    fn a_change_makes_another_token_the_most_probable() {
        let mut evidence = evidence_of(&[0.5]);
        let off = |head| Edit::ScaleHead {
            attention: evidence.facts.head.attention,
            head,
            factor: 0.0,
        };
        let trial = Trial {
            measure: Measure::LogProbability,
            changes: [0, 1, 2, 3].map(|head| vec![off(head)]).to_vec(),
            values: vec![],
        };
        for (excerpt, logit) in trial
            .excerpts(&evidence)
            .unwrap()
            .into_iter()
            .zip([3.0, 2.0, 0.5, 4.0, -1.0])
        {
            let mut data = vec![0.0; 10];
            (data[7], data[2]) = (logit, 1.0);
            let shape = vec![1, 10];
            evidence.add(excerpt, Array { shape, data });
        }
        let count = |asked: Result<Asked, Gap>| asked.unwrap().expected;
        assert_eq!(count(trial.changes_token(&evidence)), Expected::count(2));
        assert_eq!(count(trial.raises(&evidence)), Expected::count(1));
        let of_row = Trial {
            measure: Measure::output(&evidence),
            ..trial
        };
        assert_eq!(of_row.changes_token(&evidence), Err(Gap::Model));
    }

    #[test]
    fn what_moves_alike_decides_nothing() {
        assert_eq!(clearly_largest(&[0.1, 0.5, 0.2, 0.3]), Ok(1));
        assert_eq!(clearly_largest(&[0.5, 0.5, 0.2, 0.3]), Err(Gap::Sentence));
        assert_eq!(clearly_largest(&[0.0; 4]), Err(Gap::Sentence));
    }

    #[test]
    fn a_change_that_the_model_lacks_is_not_tried() {
        let evidence = evidence_of(&[0.5]);
        let mut trial = Trial {
            measure: Measure::LogProbability,
            changes: vec![vec![]; 4],
            values: vec![],
        };
        assert!(trial.excerpts(&evidence).is_ok());
        // An encoder–decoder has no encoder with a causal mask, and does not halt.
        trial.changes[2] = vec![Edit::Halt {
            epsilon: 0.1,
            depths: 1,
        }];
        assert_eq!(trial.excerpts(&evidence), Err(Gap::Model));
    }
}
