//! Questions about words that are aligned.

use attention_trace::{AttentionKind, alignment::AlignmentCounts};

use crate::kit::{
    evidence::{Evidence, Gap, Need},
    questions::{Asked, top},
};
use attention_core::widgets::{Expected, numbers::share_of_one};

type Answer = Result<Asked, Gap>;

/// Less than this is nothing to share out.
const NOTHING: f32 = 1e-3;

/// The row of the step on screen, from 1, where the model aligns what it writes.
fn row(evidence: &Evidence) -> Result<usize, Gap> {
    let has_cross = evidence
        .facts
        .spec
        .attention(AttentionKind::Cross)
        .is_some();
    let decoding = evidence.decoding.as_ref().filter(|_| has_cross);
    let steps = &decoding.ok_or(Gap::Model)?.steps;
    let step = steps.get(evidence.step).ok_or(Gap::Sentence)?;
    Ok(step.row + 1)
}

/// Asks for the row that writes the token of the step.
pub fn writing_row(evidence: &Evidence) -> Answer {
    let row = row(evidence)?;
    Ok(Asked {
        expected: Expected::count(row),
        values: vec![("step", (evidence.step + 1).to_string())],
    })
}

/// Asks for the row that reads the token of the step.
pub fn reading_row(evidence: &Evidence) -> Answer {
    let row = row(evidence)?;
    let steps = evidence.decoding.as_ref().map_or(0, |d| d.steps.len());
    match evidence.step + 1 < steps {
        true => Ok(Asked {
            expected: Expected::count(row + 1),
            values: vec![("step", (evidence.step + 1).to_string())],
        }),
        // The last token is written, and never read.
        false => Err(Gap::Sentence),
    }
}

/// The error rate where all links but one are sure, and that one is wrong or possible.
fn error_rate(evidence: &Evidence, is_possible: bool) -> Answer {
    let links = evidence.facts.names.len();
    let counts = AlignmentCounts {
        links,
        sure: links,
        sure_found: links.saturating_sub(1),
        possible_found: links.saturating_sub(usize::from(!is_possible)),
    };
    let values = ["links", "found"].into_iter();
    let numbers = [links, counts.sure_found].map(|count| count.to_string());
    match links {
        0 | 1 => Err(Gap::Sentence),
        _ => Ok(Asked {
            expected: Expected::about(counts.error_rate() as f32, 0.03),
            values: values.zip(numbers).collect(),
        }),
    }
}

/// The error rate with one wrong link.
pub fn one_wrong(evidence: &Evidence) -> Answer {
    error_rate(evidence, false)
}

/// The error rate where that link is possible.
pub fn one_possible(evidence: &Evidence) -> Answer {
    error_rate(evidence, true)
}

/// The largest weight once that on the last token is taken out.
pub fn end_out(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let (last, rest) = row.split_last().ok_or(Gap::Sentence)?;
    let left: f32 = rest.iter().sum();
    if left < NOTHING {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about(top(rest) / left, 0.02),
        values: vec![
            ("most", share_of_one(top(rest), 3)),
            ("last", share_of_one(*last, 3)),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn one_link_of_three_makes_a_third_or_half_of_it() {
        let evidence = evidence(false, &[]);
        assert_eq!(met(one_wrong(&evidence), "0.333"), Some(true));
        assert_eq!(met(one_possible(&evidence), "0.167"), Some(true));
        assert_eq!(met(one_possible(&evidence), "0.333"), Some(false));
    }

    #[test]
    fn what_is_taken_out_is_shared_by_the_rest() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.4, 0.5, 0.3, 0.3, 0.4];
        let evidence = evidence(false, &[(Need::Weights, &rows)]);
        assert_eq!(met(end_out(&evidence), "0.8"), Some(true));
        assert_eq!(met(end_out(&evidence), "0.4"), Some(false));
    }

    #[test]
    fn a_model_without_cross_attention_aligns_nothing() {
        let mut evidence = evidence_of(&[0.5, 0.5]);
        let found = [writing_row, reading_row].map(|ask| ask(&evidence));
        match evidence.facts.spec.attention(AttentionKind::Cross) {
            None => assert_eq!(found, [Err(Gap::Model), Err(Gap::Model)]),
            Some(_) => {
                assert_eq!(met(writing_row(&evidence), "1"), Some(true));
                assert_eq!(met(reading_row(&evidence), "2"), Some(true));
                evidence.step = 1;
                assert_eq!(reading_row(&evidence), Err(Gap::Sentence));
            }
        }
    }
}
