//! The course of decoding as plain data: the forced tokens, and the prefix that leads to another course.

use attention_trace::{Candidate, Step};

pub fn probability(candidate: &Candidate) -> f32 {
    candidate.log_probability.exp()
}

/// True if the visitor forced another token than the model's first choice.
pub fn is_overruled(step: &Step) -> bool {
    let best = step.candidates.first().map(|best| best.token.id);
    step.forced && best != Some(step.chosen.token.id)
}

/// Returns the prefix from which the model chooses again at step `index`: the tokens up to the last one before it that
/// the model would not have chosen itself.
pub fn prefix_released(steps: &[Step], index: usize) -> Vec<u32> {
    let before = &steps[..index.min(steps.len())];
    let kept = before
        .iter()
        .rposition(is_overruled)
        .map_or(0, |last| last + 1);
    prefix_before(steps, kept)
}

/// Returns the tokens chosen before step `index`.
fn prefix_before(steps: &[Step], index: usize) -> Vec<u32> {
    let before = steps.iter().take(index);
    before.map(|step| step.chosen.token.id).collect()
}

/// Returns the tokens chosen before step `index`, then `token`: the prefix for decoding with that candidate.
pub fn prefix_with(steps: &[Step], index: usize, token: u32) -> Vec<u32> {
    let mut prefix = prefix_before(steps, index);
    prefix.push(token);
    prefix
}

#[cfg(test)]
mod tests {
    use attention_trace::Token;

    use super::*;

    fn candidate(id: u32) -> Candidate {
        Candidate {
            token: Token {
                id,
                text: format!("▁{id}"),
                unknown: false,
            },
            logit: 0.0,
            log_probability: -1.0,
        }
    }

    fn step(chosen: u32, forced: bool) -> Step {
        Step {
            row: 0,
            chosen: candidate(chosen),
            forced,
            candidates: vec![candidate(7), candidate(8)],
        }
    }

    #[test]
    fn forcing_the_models_own_choice_overrules_nothing() {
        assert!(!is_overruled(&step(7, true)));
        assert!(!is_overruled(&step(8, false)));
        assert!(is_overruled(&step(8, true)));
    }

    #[test]
    fn a_forced_candidate_follows_what_was_chosen_before() {
        let steps = [step(7, false), step(8, true), step(7, false)];
        assert_eq!(prefix_with(&steps, 2, 99), [7, 8, 99]);
        assert_eq!(prefix_with(&steps, 0, 99), [99]);
    }

    #[test]
    fn releasing_keeps_what_else_was_overruled_and_no_more() {
        let steps = [step(7, true), step(8, true), step(7, true), step(8, true)];
        assert_eq!(prefix_released(&steps, 3), [7, 8]);
        assert!(prefix_released(&steps, 1).is_empty());
    }
}
