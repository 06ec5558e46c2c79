//! Questions about what lies between two heads' weights.

use attention_trace::total_variation;

use crate::{
    heads::questions::two_heads,
    kit::{
        evidence::{Evidence, Gap, Need},
        questions::{Asked, one_largest, token},
    },
};
use attention_core::widgets::{Expected, numbers::share_of_one};

type Answer = Result<Asked, Gap>;

/// Rows whose sums differ by more do not both sum to one.
const ROUNDING: f32 = 1e-3;
/// Sizes of differences that are less apart are not told apart.
const ALIKE: f32 = 1e-3;

/// Asks for the sum of the differences of a row.
pub fn cancels(evidence: &Evidence) -> Answer {
    let sum: f32 = differences(evidence)?.iter().sum();
    match sum.abs() < ROUNDING {
        true => Ok(Expected::about(0.0, 0.0).into()),
        // Luong's window makes rows that sum to less.
        false => Err(Gap::Model),
    }
}

/// The difference at the key that gets this head's largest weight.
pub fn at_strongest(evidence: &Evidence) -> Answer {
    let between = differences(evidence)?;
    let (one, two) = (
        evidence.visible_row(Need::Weights)?,
        evidence.visible_row(Need::OtherWeights)?,
    );
    let key = one_largest(one)?;
    Ok(Asked {
        expected: Expected::about(between[key], 0.02),
        values: vec![
            ("key", evidence.facts.names[key].clone()),
            ("left", share_of_one(one[key], 3)),
            ("right_weight", share_of_one(two[key], 3)),
        ],
    })
}

/// Asks for the share of the row's weight that lies elsewhere: half the sum of the absolute differences.
pub fn apart(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let one = evidence.visible_row(Need::Weights)?;
    let two = evidence.visible_row(Need::OtherWeights)?;
    Ok(Expected::about(total_variation(one, two), 0.1).into())
}

/// The key with the largest difference, in either direction.
pub fn most_changed(evidence: &Evidence) -> Answer {
    let sizes: Vec<f32> = differences(evidence)?.iter().map(|it| it.abs()).collect();
    let mut sorted = sizes.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    if let [first, second, ..] = sorted[..]
        && first - second < ALIKE
    {
        return Err(Gap::Sentence);
    }
    let key = one_largest(&sizes)?;
    Ok(Asked {
        expected: token(evidence, vec![key]),
        values: vec![("size", share_of_one(sizes[key], 3))],
    })
}

/// The other head's weights minus this one's, of the keys that the query sees.
fn differences(evidence: &Evidence) -> Result<Vec<f32>, Gap> {
    two_heads(evidence)?;
    let one = evidence.visible_row(Need::Weights)?;
    let two = evidence.visible_row(Need::OtherWeights)?;
    Ok(one.iter().zip(two).map(|(one, two)| two - one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// The second row is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    const OTHERS: [f32; 9] = [1.0, 0.0, 0.0, 0.2, 0.8, 0.0, 0.3, 0.3, 0.4];

    #[test]
    fn what_one_key_gains_others_lose() {
        let both = evidence(
            false,
            &[(Need::Weights, &ROWS), (Need::OtherWeights, &OTHERS)],
        );
        assert_eq!(met(cancels(&both), "0"), Some(true));
        assert_eq!(met(cancels(&both), "1"), Some(false));
        assert_eq!(met(at_strongest(&both), "0.2"), Some(true));
        assert_eq!(met(at_strongest(&both), "-0.2"), Some(false));
        assert_eq!(met(apart(&both), "0.3"), Some(true));
        assert_eq!(met(most_changed(&both), "2"), Some(true));
    }

    #[test]
    fn a_tie_and_a_head_alone_decide_nothing() {
        let same = evidence(
            false,
            &[(Need::Weights, &ROWS), (Need::OtherWeights, &ROWS)],
        );
        assert_eq!(most_changed(&same), Err(Gap::Sentence));
        let mut alone = same;
        alone.facts.stack.heads = 1;
        for answer in [cancels, at_strongest, apart, most_changed] {
            assert_eq!(answer(&alone), Err(Gap::Model));
        }
    }
}
