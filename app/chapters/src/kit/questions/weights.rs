//! Questions about the weights of one query.

use super::{Asked, largest, token};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::{Expected, Values, numbers::share_of_one};

type Answer = Result<Asked, Gap>;

/// The smallest weight whose ratio to another is asked for.
const SMALLEST_SECOND: f32 = 0.01;

/// The key with the largest weight.
pub fn strongest(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let right = largest(row);
    let weight = right.first().map_or(0.0, |&place| row[place]);
    Ok(Asked {
        expected: token(evidence, right),
        values: vec![("weight", share_of_one(weight, 3))],
    })
}

/// The difference of the two largest scores, from the ratio of their weights.
pub fn difference(evidence: &Evidence) -> Answer {
    let mut row = evidence.visible_row(Need::Weights)?.to_vec();
    row.sort_by(|one, other| other.total_cmp(one));
    let &[first, second, ..] = row.as_slice() else {
        return Err(Gap::Sentence);
    };
    // As it is written, a smaller one says too little of the ratio.
    if second < SMALLEST_SECOND {
        return Err(Gap::Sentence);
    }
    let values: Values = vec![
        ("first", share_of_one(first, 3)),
        ("second", share_of_one(second, 3)),
    ];
    Ok(Asked {
        expected: Expected::about((first / second).ln(), 0.05),
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// Three rows that sum to one; the second is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn a_row_is_read_as_it_is() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        assert_eq!(met(strongest(&evidence), "1"), Some(true));
        // ln(0.6 ÷ 0.3).
        assert_eq!(met(difference(&evidence), "0.69"), Some(true));
        assert_eq!(met(difference(&evidence), "0.3"), Some(false));
    }

    #[test]
    fn of_equal_weights_each_is_the_largest() {
        let evidence = evidence(false, &[(Need::Weights, &[1.0 / 3.0; 9])]);
        for given in ["0", "1", "2"] {
            assert_eq!(met(strongest(&evidence), given), Some(true));
        }
    }

    #[test]
    fn a_weight_that_is_nearly_nothing_has_no_ratio() {
        let rows = [0.0, 0.0, 1.0, 0.001, 0.995, 0.004, 0.0, 0.0, 1.0];
        let evidence = evidence(false, &[(Need::Weights, &rows)]);
        assert_eq!(difference(&evidence), Err(Gap::Sentence));
    }
}
