//! Questions about what the model wrote, and what a loss would say of it.

use attention_trace::{Decoding, Step};

use super::Asked;
use crate::kit::evidence::{Evidence, Gap};
use attention_core::widgets::{
    Expected, Values, label,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The derivative of that loss by the token's own logit.
pub fn gradient(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    let probability = step.chosen.log_probability.exp();
    Ok(Asked {
        expected: Expected::about(probability - 1.0, 0.03),
        values: of_step(step),
    })
}

/// The perplexity of all that was written.
pub fn perplexity(evidence: &Evidence) -> Answer {
    let steps = &decoding(evidence)?.steps;
    // The other form leaves the end out.
    let count = match evidence.is_first_form() {
        true => steps.len(),
        false => steps.len().saturating_sub(1).max(1),
    };
    let mean = mean_loss(&steps[..count]);
    Ok(Asked {
        expected: Expected::about(mean.exp(), 0.03),
        values: vec![("mean", decimal(mean, 3)), ("count", count.to_string())],
    })
}

fn mean_loss(steps: &[Step]) -> f32 {
    let losses = steps.iter().map(|step| -step.chosen.log_probability);
    losses.sum::<f32>() / steps.len() as f32
}

pub fn decoding(evidence: &Evidence) -> Result<&Decoding, Gap> {
    let decoding = evidence.decoding.as_ref();
    decoding
        .filter(|decoding| !decoding.steps.is_empty())
        .ok_or(Gap::Model)
}

pub fn step(evidence: &Evidence) -> Result<&Step, Gap> {
    decoding(evidence)?
        .steps
        .get(evidence.step)
        .ok_or(Gap::Model)
}

/// The step's token, its probability and the number of the step.
pub fn of_step(step: &Step) -> Values {
    let probability = step.chosen.log_probability.exp();
    vec![
        ("token", label(&step.chosen.token)),
        ("probability", share_of_one(probability, 3)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn losses_are_of_the_step_on_screen() {
        let mut evidence = evidence_of(&[0.5, 0.125]);
        assert_eq!(met(gradient(&evidence), "-0.5"), Some(true));
        // exp of the mean of ln 2 and ln 8: the geometric mean of 2 and 8.
        assert_eq!(met(perplexity(&evidence), "4"), Some(true));
        evidence.step = 1;
        assert_eq!(met(gradient(&evidence), "-0.875"), Some(true));
    }

    #[test]
    fn a_model_that_writes_nothing_is_not_asked() {
        assert_eq!(gradient(&evidence_of(&[])), Err(Gap::Model));
        assert_eq!(perplexity(&evidence(false, &[])), Err(Gap::Model));
    }
}
