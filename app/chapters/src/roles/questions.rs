//! Questions about a head's weights at one query, and about chance.

use attention_trace::roles::RoleScore;

use crate::kit::{
    evidence::{Evidence, Gap, Need},
    questions::Asked,
};
use attention_core::widgets::{Expected, numbers::share_of_one};

type Answer = Result<Asked, Gap>;

/// The distance from a threshold within which a sentence leaves the question open.
const MARGIN: f32 = 0.005;

/// The weight on the token before the query.
pub fn on_previous(evidence: &Evidence) -> Answer {
    let score = previous(evidence)?;
    Ok(Expected::about(score.weight, 0.03).into())
}

/// Returns the weight that each key has by chance.
pub fn by_chance(evidence: &Evidence) -> Answer {
    let visible = evidence.facts.visible();
    if visible < 2 {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about(1.0 / visible as f32, 0.03),
        values: vec![("visible", visible.to_string())],
    })
}

/// Returns the weight on the token before as a score above chance: 0 at chance, 1 for all weight.
pub fn above_chance(evidence: &Evidence) -> Answer {
    let score = previous(evidence)?;
    Ok(Asked {
        expected: Expected::about(score.above_chance(), 0.05),
        values: numbers(score),
    })
}

/// True if that score is clear.
pub fn is_clear(evidence: &Evidence) -> Answer {
    let score = previous(evidence)?;
    let limit = attention_trace::roles::CLEAR;
    let above = score.above_chance();
    if (above - limit).abs() < MARGIN {
        return Err(Gap::Sentence);
    }
    let mut values = numbers(score);
    values.push(("above", share_of_one(above, 2)));
    Ok(Asked {
        expected: Expected::Truth(above >= limit),
        values,
    })
}

/// The weight on the first token.
pub fn on_first(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let first = row.first().filter(|_| row.len() > 1).ok_or(Gap::Sentence)?;
    Ok(Asked {
        expected: Expected::about(*first, 0.03),
        values: vec![(
            "first",
            evidence.facts.names.first().cloned().unwrap_or_default(),
        )],
    })
}

/// The query's weight on the token before it, beside chance.
fn previous(evidence: &Evidence) -> Result<RoleScore, Gap> {
    let row = evidence.visible_row(Need::Weights)?;
    let before = evidence.facts.query.checked_sub(1).ok_or(Gap::Sentence)?;
    Ok(RoleScore {
        weight: *row.get(before).ok_or(Gap::Loading)?,
        chance: 1.0 / row.len() as f32,
        queries: 1,
    })
}

fn numbers(score: RoleScore) -> Vec<(&'static str, String)> {
    vec![
        ("weight", share_of_one(score.weight, 3)),
        ("chance", share_of_one(score.chance, 3)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// The second row is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn the_token_before_is_compared_with_chance() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        assert_eq!(met(on_previous(&evidence), "0.6"), Some(true));
        assert_eq!(met(on_first(&evidence), "0.6"), Some(true));
        assert_eq!(met(by_chance(&evidence), "0.333"), Some(true));
        // (0.6 − ⅓) ÷ (1 − ⅓).
        assert_eq!(met(above_chance(&evidence), "0.4"), Some(true));
        assert_eq!(met(above_chance(&evidence), "0.6"), Some(false));
        assert_eq!(met(is_clear(&evidence), "1"), Some(true));
    }

    #[test]
    fn a_causal_query_sees_fewer_keys() {
        let rows = [1.0, 0.0, 0.0, 0.6, 0.4, 0.0, 0.3, 0.3, 0.4];
        let evidence = evidence(true, &[(Need::Weights, &rows)]);
        assert_eq!(met(by_chance(&evidence), "0.5"), Some(true));
        // (0.6 − ½) ÷ (1 − ½) = 0.2.
        assert_eq!(met(is_clear(&evidence), "0"), Some(true));
    }

    #[test]
    fn the_first_token_has_none_before_it() {
        let mut first = evidence(true, &[(Need::Weights, &ROWS)]);
        first.facts.query = 0;
        for answer in [on_previous, by_chance, above_chance, is_clear, on_first] {
            assert_eq!(answer(&first), Err(Gap::Sentence));
        }
        let none = evidence(false, &[]);
        assert_eq!(on_previous(&none), Err(Gap::Loading));
    }
}
