//! Questions about two heads of a layer.

use crate::kit::{
    evidence::{Evidence, Gap, Need},
    questions::{Asked, largest, one_largest, token},
};
use attention_core::widgets::{Expected, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// The least difference of entropies, in bits, that the question about them requires.
const ALIKE: f32 = 1e-3;

/// Asks for the key with the largest weight in another head of the layer.
pub fn other(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let right = largest(evidence.visible_row(Need::OtherWeights)?);
    Ok(token(evidence, right).into())
}

/// Asks if both heads give their largest weight to the same key.
pub fn agree(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let one = one_largest(evidence.visible_row(Need::Weights)?)?;
    let two = one_largest(evidence.visible_row(Need::OtherWeights)?)?;
    Ok(Expected::Truth(one == two).into())
}

/// Asks if this head's weights have the larger entropy of the two.
pub fn wider(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let one = entropy(evidence.visible_row(Need::Weights)?);
    let two = entropy(evidence.visible_row(Need::OtherWeights)?);
    if (one - two).abs() < ALIKE {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::Truth(one > two),
        values: vec![("own", decimal(one, 2)), ("others", decimal(two, 2))],
    })
}

/// Checks that there are two heads to compare.
///
/// # Errors
/// [`Gap::Model`] if the layer has fewer than two heads.
pub fn two_heads(evidence: &Evidence) -> Result<(), Gap> {
    match evidence.facts.stack.heads {
        0 | 1 => Err(Gap::Model),
        _ => Ok(()),
    }
}

/// Computes the entropy of weights in bits.
fn entropy(weights: &[f32]) -> f32 {
    let parts = weights.iter().filter(|weight| **weight > 0.0);
    -parts.map(|weight| weight * weight.log2()).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    const OTHERS: [f32; 9] = [1.0, 0.0, 0.0, 0.2, 0.8, 0.0, 0.3, 0.3, 0.4];

    fn both() -> Evidence {
        evidence(
            false,
            &[(Need::Weights, &ROWS), (Need::OtherWeights, &OTHERS)],
        )
    }

    #[test]
    fn two_heads_are_compared() {
        let evidence = both();
        assert_eq!(met(other(&evidence), "1"), Some(true));
        assert_eq!(met(agree(&evidence), "1"), Some(true));
        assert_eq!(met(wider(&evidence), "1"), Some(true));
    }

    #[test]
    fn a_head_alone_is_compared_with_none() {
        let mut alone = both();
        alone.facts.stack.heads = 1;
        for answer in [other(&alone), agree(&alone), wider(&alone)] {
            assert_eq!(answer, Err(Gap::Model));
        }
    }

    #[test]
    fn heads_that_are_alike_decide_nothing() {
        let even = [1.0 / 3.0; 9];
        let evidence = evidence(
            false,
            &[(Need::Weights, &even), (Need::OtherWeights, &even)],
        );
        assert_eq!(agree(&evidence), Err(Gap::Sentence));
        assert_eq!(wider(&evidence), Err(Gap::Sentence));
    }
}
