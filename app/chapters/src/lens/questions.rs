//! Questions about the contributions of layers and parts to the logits.

use attention_trace::{Candidate, NormPlacement, StackSpec};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::{Asked, decoding::step},
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

/// Returns the number of heads that write into the stream behind the logits.
pub fn writing_heads(evidence: &Evidence) -> Answer {
    let stack = last_stack(evidence)?;
    let attentions = attentions(stack);
    Ok(Expected::count(stack.layers * stack.heads * attentions).into())
}

/// Returns the number of readings that the lens makes of a position.
pub fn lens_readings(evidence: &Evidence) -> Answer {
    Ok(Expected::count(last_stack(evidence)?.layers + 1).into())
}

/// Returns the number of norms between the embedding and the logit.
pub fn frozen_norms(evidence: &Evidence) -> Answer {
    let stack = last_stack(evidence)?;
    let norm = stack.norm.ok_or(Gap::Model)?;
    let of_layers = match norm.placement {
        NormPlacement::Pre | NormPlacement::Output | NormPlacement::Both => 0,
        NormPlacement::Post => stack.layers * (attentions(stack) + 1),
    };
    Ok(Expected::count(of_layers + usize::from(norm.is_last)).into())
}

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

fn gap(first: &Candidate, second: &Candidate) -> f32 {
    first.log_probability - second.log_probability
}

/// The two most probable words of the step on screen.
fn first_two(evidence: &Evidence) -> Result<[&Candidate; 2], Gap> {
    match step(evidence)?.candidates.as_slice() {
        [first, second, ..] => Ok([first, second]),
        _ => Err(Gap::Sentence),
    }
}

fn last_stack(evidence: &Evidence) -> Result<&StackSpec, Gap> {
    let spec = &evidence.facts.spec;
    spec.stack(spec.last_stack()).ok_or(Gap::Model)
}

/// Returns the number of kinds of attention in a layer.
fn attentions(stack: &StackSpec) -> usize {
    1 + usize::from(stack.cross_attention)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn parts_are_counted_from_the_models_facts() {
        let translator = evidence(false, &[]);
        let stack = translator.facts.spec.decoder.clone().unwrap();
        let heads = 2 * stack.layers * stack.heads;
        assert_eq!(
            met(writing_heads(&translator), &heads.to_string()),
            Some(true)
        );
        let norms = 3 * stack.layers;
        assert_eq!(
            met(frozen_norms(&translator), &norms.to_string()),
            Some(true)
        );
        let llama = evidence(true, &[]);
        let layers = llama.facts.spec.decoder.as_ref().unwrap().layers;
        assert_eq!(met(frozen_norms(&llama), "1"), Some(true));
        assert_eq!(
            met(lens_readings(&llama), &(layers + 1).to_string()),
            Some(true)
        );
    }

    #[test]
    fn a_gap_of_logits_is_a_ratio_of_probabilities() {
        // The second candidate is half as probable as the first.
        let evidence = evidence_of(&[0.5]);
        assert_eq!(met(logit_gap(&evidence), "0.693"), Some(true));
        assert_eq!(met(half_gap(&evidence), "1.414"), Some(true));
        assert_eq!(met(half_gap(&evidence), "2"), Some(false));
    }

    #[test]
    fn a_probability_with_too_few_digits_is_not_divided_by() {
        let evidence_of_little = evidence_of(&[5e-4]);
        assert_eq!(logit_gap(&evidence_of_little), Err(Gap::Sentence));
        assert!(half_gap(&evidence_of_little).is_ok());
        assert_eq!(logit_gap(&evidence(false, &[])), Err(Gap::Model));
    }
}
