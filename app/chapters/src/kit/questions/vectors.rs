//! Questions about a head's scores.

use super::{Asked, largest};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::{Expected, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// The score of the key that suits the query best, from its dot product.
pub fn score(evidence: &Evidence) -> Answer {
    if !evidence.facts.divides_by_root() {
        return Err(Gap::Model);
    }
    let scores = evidence.visible_row(Need::Scores)?;
    let scaled = evidence.visible_row(Need::ScaledScores)?;
    let key = *largest(scores).first().ok_or(Gap::Loading)?;
    Ok(Asked {
        expected: Expected::about(scaled[key], 0.02),
        values: vec![
            ("key", evidence.facts.names[key].clone()),
            ("product", decimal(scores[key], 2)),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn the_largest_product_is_divided() {
        let needs: [(Need, &[f32]); 2] = [
            (
                Need::Scores,
                &[0.0, 0.0, 0.0, 9.0, 1.0, -1.0, 0.0, 0.0, 0.0],
            ),
            (
                Need::ScaledScores,
                &[0.0, 0.0, 0.0, 4.5, 0.5, -0.5, 0.0, 0.0, 0.0],
            ),
        ];
        let asked = score(&evidence(false, &needs)).unwrap();
        assert_eq!(asked.values[1].1, "9.00");
        assert_eq!(met(Ok(asked), "4.5"), Some(true));
    }
}
