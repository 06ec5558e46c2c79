//! Questions about the evaluation of the model's text: by its probability, and as the reference of a shorter text.

use attention_trace::{Step, judging};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::{
        Asked,
        decoding::{decoding, of_step, step},
    },
};
use attention_core::widgets::{Expected, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// The least probability to multiply: smaller ones have too few digits in three decimals.
const LEAST: f32 = 0.05;

/// Asks for the joint probability of the first two tokens, from their factors.
pub fn chain(evidence: &Evidence) -> Answer {
    let probabilities: Vec<f32> = decoding(evidence)?
        .steps
        .iter()
        .take(2)
        .map(|step| step.chosen.log_probability.exp())
        .collect();
    match probabilities[..] {
        [first, second] if first.min(second) >= LEAST => Ok(Asked {
            expected: Expected::about(first * second, 0.03),
            values: vec![("first", decimal(first, 3)), ("second", decimal(second, 3))],
        }),
        _ => Err(Gap::Sentence),
    }
}

/// Asks for the bits of the step's token, from its probability.
pub fn bits(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    Ok(Asked {
        expected: Expected::about(in_bits(step), 0.03),
        values: of_step(step),
    })
}

/// Asks for the perplexity of the text, from the mean of its tokens' bits.
pub fn bits_perplexity(evidence: &Evidence) -> Answer {
    let steps = &decoding(evidence)?.steps;
    let mean = steps.iter().map(in_bits).sum::<f32>() / steps.len() as f32;
    Ok(Asked {
        expected: Expected::about(mean.exp2(), 0.03),
        values: vec![("mean", decimal(mean, 3))],
    })
}

/// Asks for the brevity penalty of the text without its last token, with the whole text as reference.
pub fn shortened_brevity(evidence: &Evidence) -> Answer {
    let (count, rest) = shortened(evidence)?;
    Ok(Asked {
        expected: Expected::about((1.0 - count as f32 / rest as f32).exp(), 0.02),
        values: vec![("count", count.to_string()), ("rest", rest.to_string())],
    })
}

/// Asks for ROUGE-1 of the text without its last token, with the whole text as reference.
pub fn shortened_recall(evidence: &Evidence) -> Answer {
    let (count, rest) = shortened(evidence)?;
    Ok(Asked {
        expected: Expected::about(rest as f32 / count as f32, 0.02),
        values: vec![("count", count.to_string()), ("rest", rest.to_string())],
    })
}

/// Computes `−log₂ p` of a step's token.
fn in_bits(step: &Step) -> f32 {
    judging::bits(step.chosen.log_probability) as f32
}

/// Returns the text's number of tokens, the end token included, and that number less one.
fn shortened(evidence: &Evidence) -> Result<(usize, usize), Gap> {
    let count = decoding(evidence)?.steps.len();
    match count {
        0 | 1 => Err(Gap::Sentence),
        count => Ok((count, count - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::questions::tests::{evidence_of, met};

    #[test]
    fn factors_multiply_and_bits_are_of_the_step_on_screen() {
        let mut evidence = evidence_of(&[0.5, 0.125]);
        assert_eq!(met(chain(&evidence), "0.0625"), Some(true));
        assert_eq!(met(chain(&evidence), "0.625"), Some(false));
        assert_eq!(met(bits(&evidence), "1"), Some(true));
        evidence.step = 1;
        assert_eq!(met(bits(&evidence), "3"), Some(true));
        // A mean of 2 bits.
        assert_eq!(met(bits_perplexity(&evidence), "4"), Some(true));
    }

    #[test]
    fn factors_that_are_too_small_to_be_read_are_not_asked_for() {
        assert_eq!(chain(&evidence_of(&[0.5, 0.001])), Err(Gap::Sentence));
        assert_eq!(chain(&evidence_of(&[0.5])), Err(Gap::Sentence));
    }

    #[test]
    fn a_text_without_its_last_token_is_penalised_and_lacks_it() {
        let evidence = evidence_of(&[0.5; 6]);
        // The lecture's lengths: e^(1 − 6/5), and five of six tokens.
        assert_eq!(met(shortened_brevity(&evidence), "0.819"), Some(true));
        assert_eq!(met(shortened_recall(&evidence), "0.833"), Some(true));
        let alone = evidence_of(&[0.5]);
        assert_eq!(shortened_brevity(&alone), Err(Gap::Sentence));
        assert_eq!(shortened_recall(&evidence_of(&[])), Err(Gap::Model));
    }
}
