//! Questions about what the model wrote, and what a loss would say of it.

use attention_trace::{Decoding, Step};

use super::Asked;
use crate::kit::evidence::{Evidence, Gap};
use attention_core::widgets::{
    Expected, Values, label,
    numbers::{decimal, grouped, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The loss of a model that finds every token equally probable.
pub fn even_loss(evidence: &Evidence) -> Answer {
    let vocabulary = evidence.facts.spec.vocabulary;
    Ok(Asked {
        expected: Expected::about((vocabulary as f32).ln(), 0.02),
        values: vec![("vocabulary", grouped(vocabulary as u64))],
    })
}

/// The loss at the step on screen, from the probability of its token.
pub fn loss(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    Ok(Asked {
        expected: Expected::about(-step.chosen.log_probability, 0.03),
        values: of_step(step),
    })
}

/// The derivative of that loss by the token's own logit.
pub fn gradient(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    let probability = step.chosen.log_probability.exp();
    Ok(Asked {
        expected: Expected::about(probability - 1.0, 0.03),
        values: of_step(step),
    })
}

/// Asks for the number of predictions in the text that was written, the end included.
pub fn predictions(evidence: &Evidence) -> Answer {
    Ok(Expected::count(decoding(evidence)?.steps.len()).into())
}

/// Asks for the number of decoder passes that read that text with teacher forcing.
pub fn forced_passes(evidence: &Evidence) -> Answer {
    let steps = decoding(evidence)?.steps.len();
    Ok(Asked {
        expected: Expected::count(1),
        values: vec![("count", steps.to_string())],
    })
}

/// `−ln p` of the whole text, from the mean over its tokens.
pub fn text_loss(evidence: &Evidence) -> Answer {
    let steps = &decoding(evidence)?.steps;
    let mean = mean_loss(steps);
    Ok(Asked {
        expected: Expected::about(mean * steps.len() as f32, 0.03),
        values: vec![
            ("mean", decimal(mean, 3)),
            ("count", steps.len().to_string()),
        ],
    })
}

/// The perplexity of all that was written.
pub fn perplexity(evidence: &Evidence) -> Answer {
    let mean = mean_loss(&decoding(evidence)?.steps);
    Ok(Asked {
        expected: Expected::about(mean.exp(), 0.03),
        values: vec![("mean", decimal(mean, 3))],
    })
}

/// Asks whether the model found the step's token more probable than all others together.
pub fn certain(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    let probability = step.chosen.log_probability.exp();
    Ok(Asked {
        expected: Expected::Truth(probability > 0.5),
        values: of_step(step),
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
        assert_eq!(met(loss(&evidence), "0.693"), Some(true));
        assert_eq!(met(gradient(&evidence), "-0.5"), Some(true));
        // exp of the mean of ln 2 and ln 8: the geometric mean of 2 and 8.
        assert_eq!(met(perplexity(&evidence), "4"), Some(true));
        evidence.step = 1;
        assert_eq!(met(loss(&evidence), "2.079"), Some(true));
        assert_eq!(met(certain(&evidence), "0"), Some(true));
    }

    #[test]
    fn a_text_that_is_given_is_read_in_one_pass() {
        let evidence = evidence_of(&[0.5, 0.125]);
        assert_eq!(met(predictions(&evidence), "2"), Some(true));
        assert_eq!(met(forced_passes(&evidence), "1"), Some(true));
        // ln 2 + ln 8.
        assert_eq!(met(text_loss(&evidence), "2.773"), Some(true));
        assert_eq!(met(text_loss(&evidence), "1.386"), Some(false));
    }

    #[test]
    fn before_training_the_loss_is_that_of_chance() {
        let mut evidence = evidence_of(&[0.5]);
        evidence.facts.spec.vocabulary = 8_000;
        assert_eq!(met(even_loss(&evidence), "8.987"), Some(true));
    }

    #[test]
    fn a_model_that_writes_nothing_is_not_asked() {
        assert_eq!(loss(&evidence_of(&[])), Err(Gap::Model));
        assert_eq!(perplexity(&evidence(false, &[])), Err(Gap::Model));
    }
}
