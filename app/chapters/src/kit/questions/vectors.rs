//! Questions about a head's queries and keys.

use super::{Asked, largest, one_largest, token};
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

/// The key nearest to the query by Euclidean distance.
pub fn nearest(evidence: &Evidence) -> Answer {
    let nearer: Vec<f32> = distances(evidence)?
        .iter()
        .map(|distance| -distance)
        .collect();
    Ok(token(evidence, largest(&nearer)).into())
}

/// Asks whether the nearest key has the highest score.
pub fn nearest_scores_most(evidence: &Evidence) -> Answer {
    let nearer: Vec<f32> = distances(evidence)?
        .iter()
        .map(|distance| -distance)
        .collect();
    let nearest = one_largest(&nearer)?;
    let best = one_largest(evidence.visible_row(Need::Scores)?)?;
    let name = |key: usize| evidence.facts.names[key].clone();
    Ok(Asked {
        expected: Expected::Truth(nearest == best),
        values: vec![("nearest", name(nearest)), ("best", name(best))],
    })
}

/// Asks for the longest key.
pub fn longest(evidence: &Evidence) -> Answer {
    let lengths: Result<Vec<f32>, Gap> = keys(evidence).map(|key| Ok(length(key?))).collect();
    Ok(token(evidence, largest(&lengths?)).into())
}

/// The keys that the query may look at.
fn keys(evidence: &Evidence) -> impl Iterator<Item = Result<&[f32], Gap>> {
    let key = |place: usize| {
        evidence
            .matrix(Need::Keys)?
            .row(&[place])
            .ok_or(Gap::Loading)
    };
    (0..evidence.facts.visible()).map(key)
}

/// Returns the distance from the query to each visible key.
fn distances(evidence: &Evidence) -> Result<Vec<f32>, Gap> {
    let query = evidence.row(Need::Queries)?;
    let distance = |key: &[f32]| {
        let apart: Vec<f32> = query.iter().zip(key).map(|(q, k)| q - k).collect();
        length(&apart)
    };
    keys(evidence).map(|key| Ok(distance(key?))).collect()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn the_largest_product_need_not_be_the_nearest_key() {
        // A long key in the query's direction scores most, a short one beside it is nearest.
        let needs: [(Need, &[f32]); 4] = [
            (Need::Queries, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            (Need::Keys, &[9.0, 0.0, 1.0, 0.5, -1.0, 0.0]),
            (
                Need::Scores,
                &[0.0, 0.0, 0.0, 9.0, 1.0, -1.0, 0.0, 0.0, 0.0],
            ),
            (
                Need::ScaledScores,
                &[0.0, 0.0, 0.0, 4.5, 0.5, -0.5, 0.0, 0.0, 0.0],
            ),
        ];
        let evidence = evidence(false, &needs);
        assert_eq!(met(nearest(&evidence), "1"), Some(true));
        assert_eq!(met(nearest_scores_most(&evidence), "0"), Some(true));
        assert_eq!(met(longest(&evidence), "0"), Some(true));
        let asked = score(&evidence).unwrap();
        assert_eq!(asked.values[1].1, "9.00");
        assert_eq!(asked.expected.is_met_by("4.5"), Some(true));
    }
}
