//! Questions about the places of a query and of the key with its largest weight.

use super::{Asked, one_largest};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::{Expected, Values};

type Answer = Result<Asked, Gap>;

/// The row of the query after the tokens were reversed, from 1.
pub fn reversed_row(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    Ok(Expected::count(facts.names.len() - facts.query).into())
}

/// The column of the key with the largest weight after the tokens were reversed, from 1.
pub fn reversed_column(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    Ok(Asked {
        expected: Expected::count(evidence.facts.names.len() - key),
        values: target(evidence, key),
    })
}

/// Asks for the distance from the query to the key with the largest weight.
pub fn distance(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    Ok(Asked {
        expected: Expected::count(key.abs_diff(evidence.facts.query)),
        values: target(evidence, key),
    })
}

/// Asks whether the key with the largest weight is the query itself or its neighbour.
pub fn near(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    Ok(Asked {
        expected: Expected::Truth(key.abs_diff(evidence.facts.query) <= 1),
        values: target(evidence, key),
    })
}

/// The key's place minus the query's.
pub fn offset(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    let offset = key as f32 - evidence.facts.query as f32;
    Ok(Asked {
        expected: Expected::Number {
            right: offset.into(),
            tolerance: 0.0,
        },
        values: target(evidence, key),
    })
}

/// Asks for the same offset after both places are moved by five.
pub fn shifted_offset(evidence: &Evidence) -> Answer {
    const BY: f32 = 5.0;
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    let offset = (key as f32 + BY) - (evidence.facts.query as f32 + BY);
    Ok(Asked {
        expected: Expected::Number {
            right: offset.into(),
            tolerance: 0.0,
        },
        values: target(evidence, key),
    })
}

/// A key's name and its place from 1.
fn target(evidence: &Evidence, key: usize) -> Values {
    let name = evidence.facts.names.get(key).cloned().unwrap_or_default();
    vec![("key", name), ("key_place", (key + 1).to_string())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn a_reversed_sentence_moves_rows_and_columns() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.3, 0.6, 0.3, 0.3, 0.4];
        let evidence = evidence(false, &[(Need::Weights, &rows)]);
        for (answer, right) in [
            (reversed_row(&evidence), "2"),
            (reversed_column(&evidence), "1"),
            (distance(&evidence), "1"),
            (near(&evidence), "1"),
            (offset(&evidence), "1"),
            (shifted_offset(&evidence), "1"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }

    #[test]
    fn a_key_before_its_query_has_a_negative_offset() {
        let rows = [1.0, 0.0, 0.0, 0.9, 0.1, 0.0, 0.3, 0.3, 0.4];
        let evidence = evidence(true, &[(Need::Weights, &rows)]);
        assert_eq!(met(offset(&evidence), "−1"), Some(true));
        assert_eq!(met(offset(&evidence), "1"), Some(false));
    }

    #[test]
    fn equal_weights_decide_nothing() {
        let evidence = evidence(false, &[(Need::Weights, &[1.0 / 3.0; 9])]);
        for answer in [distance(&evidence), near(&evidence), offset(&evidence)] {
            assert_eq!(answer, Err(Gap::Sentence));
        }
    }
}
