//! Questions about the logits of a step, and about the parts that add to them.

use attention_trace::{Block, Candidate};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap},
    questions::{
        Asked,
        changes::{FOUR, named, silent, sublayers},
        decoding::step,
    },
    trial::{Measure, Trial, step_words},
};
use attention_core::widgets::{
    Expected, label,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The number of decimals of probabilities, enough for a small second one.
const DECIMALS: usize = 5;
/// The smallest probability with enough digits, at this number of decimals, to divide by.
const LEAST: f32 = 5e-4;

/// The difference of the first two logits of the step, from their probabilities.
pub fn logit_gap(evidence: &Evidence) -> Answer {
    let [first, second] = first_two(evidence)?;
    if second.log_probability.exp() < LEAST {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about(gap(first, second), 0.05),
        values: vec![
            ("token", label(&first.token)),
            ("second", label(&second.token)),
            (
                "probability",
                share_of_one(first.log_probability.exp(), DECIMALS),
            ),
            ("less", share_of_one(second.log_probability.exp(), DECIMALS)),
        ],
    })
}

/// Returns the ratio of their probabilities if half of that difference is removed.
pub fn half_gap(evidence: &Evidence) -> Answer {
    let [first, second] = first_two(evidence)?;
    let gap = gap(first, second);
    Ok(Asked {
        expected: Expected::about((gap / 2.0).exp(), 0.03),
        values: vec![
            ("token", label(&first.token)),
            ("second", label(&second.token)),
            ("gap", decimal(gap, 2)),
        ],
    })
}

/// Four sub-layers of the stack that writes, each adding nothing.
pub fn parts_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let parts: Vec<Block> = (0..layers(evidence)?)
        .flat_map(|layer| parts_of(evidence, layer))
        .collect();
    if parts.len() < FOUR {
        return Err(Gap::Model);
    }
    let shift = usize::from(!evidence.is_first_form());
    let chosen =
        [0, 1, 2, 3].map(|index| parts[(index * parts.len() / FOUR + shift) % parts.len()]);
    let mut values = step_words(evidence)?;
    values.extend(named(chosen.map(|part| part.to_string())));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: chosen.map(|part| vec![silent(evidence, part)]).to_vec(),
        values,
    })
}

/// Asks which sub-layer, silenced, moves the probability of the step's token most.
pub fn part_off(evidence: &Evidence) -> Answer {
    parts_off(evidence)?.moves_most(evidence)
}

/// Asks after how many of these changes another token is the most probable one.
pub fn part_off_changes(evidence: &Evidence) -> Answer {
    parts_off(evidence)?.changes_token(evidence)
}

/// The first and the last layer of the stack that writes, each adding nothing.
pub fn layers_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let layers = layers(evidence)?;
    if layers < 2 {
        return Err(Gap::Model);
    }
    let off = |layer| {
        let parts = parts_of(evidence, layer).into_iter();
        parts.map(|part| silent(evidence, part)).collect()
    };
    let mut values = step_words(evidence)?;
    values.push(("layers", layers.to_string()));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![off(0), off(layers - 1)],
        values,
    })
}

/// Asks why the first layer matters more to the step's token than the last one, or less.
pub fn first_or_last(evidence: &Evidence) -> Answer {
    layers_off(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong step between two probabilities and what half of their difference of logits leaves.
pub fn wrong_of_gap(evidence: &Evidence) -> Answer {
    let [first, second] = first_two(evidence)?;
    let [p, q] = [first, second].map(|candidate| candidate.log_probability.exp());
    if q < LEAST {
        return Err(Gap::Sentence);
    }
    find_error(evidence, |derivation| {
        let gap = derivation.number((p / q).ln(), (p / q).log10());
        let half = derivation.number(gap / 2.0, gap.sqrt());
        let ratio = derivation.number(half.exp(), 1.0 + half);
        let share = derivation.number(ratio / (1.0 + ratio), 1.0 / ratio);
        Ok(vec![
            ("token", label(&first.token)),
            ("second", label(&second.token)),
            ("p", share_of_one(p, DECIMALS)),
            ("q", share_of_one(q, DECIMALS)),
            ("gap", decimal(gap, 3)),
            ("half", decimal(half, 3)),
            ("ratio", decimal(ratio, 3)),
            ("share", share_of_one(share, 3)),
        ])
    })
}

/// By how much the first logit of a step is larger than the second.
pub fn gap(first: &Candidate, second: &Candidate) -> f32 {
    first.log_probability - second.log_probability
}

/// The two most probable words of the step on screen.
///
/// # Errors
/// [`Gap::Sentence`] if the step has only one.
pub fn first_two(evidence: &Evidence) -> Result<[&Candidate; 2], Gap> {
    match step(evidence)?.candidates.as_slice() {
        [first, second, ..] => Ok([first, second]),
        _ => Err(Gap::Sentence),
    }
}

fn layers(evidence: &Evidence) -> Result<usize, Gap> {
    let spec = &evidence.facts.spec;
    Ok(spec.stack(spec.last_stack()).ok_or(Gap::Model)?.layers)
}

fn parts_of(evidence: &Evidence, layer: usize) -> Vec<Block> {
    sublayers(evidence, evidence.facts.spec.last_stack(), layer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn a_difference_of_logits_is_a_ratio_of_probabilities() {
        // The second word is half as probable.
        let evidence = evidence_of(&[0.4]);
        assert_eq!(met(logit_gap(&evidence), "0.693"), Some(true));
        assert_eq!(met(half_gap(&evidence), "1.414"), Some(true));
    }

    #[test]
    fn parts_are_those_of_the_stack_that_writes() {
        let evidence = evidence_of(&[0.4]);
        let trial = parts_off(&evidence).unwrap();
        assert!(trial.excerpts(&evidence).is_ok());
        for (name, part) in &trial.values[2..] {
            assert!(part.starts_with("decoder."), "{name}: {part}");
        }
        let layers = layers_off(&evidence).unwrap();
        assert_eq!(layers.changes[0].len(), 3);
        assert!(layers.excerpts(&evidence).is_ok());
    }

    #[test]
    fn a_text_that_was_given_has_no_step() {
        assert_eq!(logit_gap(&evidence(false, &[])), Err(Gap::Model));
        assert_eq!(parts_off(&evidence(false, &[])), Err(Gap::Model));
    }
}
