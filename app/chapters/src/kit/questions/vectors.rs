//! Questions about a head's queries and keys.

use super::{Asked, largest, one_largest, token};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::{Expected, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// Asks for the width of the head's queries.
pub fn head_width(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.stack.head_width).into())
}

/// Asks for the divisor of the head's scores.
pub fn root(evidence: &Evidence) -> Answer {
    match evidence.facts.divides_by_root() {
        true => Ok(Expected::about(root_of_width(evidence), 0.01).into()),
        false => Err(Gap::Model),
    }
}

/// The standard deviation of a product of independent vectors as wide as the head.
pub fn deviation(evidence: &Evidence) -> Answer {
    Ok(Expected::about(root_of_width(evidence), 0.02).into())
}

/// Asks for the standard deviation after the scores are divided.
pub fn scaled_deviation(evidence: &Evidence) -> Answer {
    let width = evidence.facts.stack.head_width as f32;
    let variance = width / root_of_width(evidence).powi(2);
    Ok(Expected::about(variance.sqrt(), 0.02).into())
}

/// Asks for the divisor of a head four times as wide.
pub fn wider_root(evidence: &Evidence) -> Answer {
    let width = 4 * evidence.facts.stack.head_width;
    Ok(Asked {
        expected: Expected::about((width as f32).sqrt(), 0.01),
        values: vec![("wide", width.to_string())],
    })
}

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

fn root_of_width(evidence: &Evidence) -> f32 {
    (evidence.facts.stack.head_width as f32).sqrt()
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

    #[test]
    fn widths_are_the_models() {
        let evidence = evidence(false, &[]);
        let width = evidence.facts.stack.head_width;
        assert_eq!(met(head_width(&evidence), &width.to_string()), Some(true));
        let written = format!("{:.2}", (width as f32).sqrt());
        assert_eq!(met(root(&evidence), &written), Some(true));
        assert_eq!(met(deviation(&evidence), &written), Some(true));
        assert_eq!(met(scaled_deviation(&evidence), "1"), Some(true));
        let doubled = format!("{:.2}", 2.0 * (width as f32).sqrt());
        assert_eq!(met(wider_root(&evidence), &doubled), Some(true));
        let mut unscaled = evidence;
        unscaled.facts.spec.scales_scores = false;
        assert_eq!(root(&unscaled), Err(Gap::Model));
    }
}
