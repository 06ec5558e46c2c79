//! Questions about the weights of one query.

use super::{Asked, largest, softmax, token, top};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::{Expected, Values, numbers::share_of_one};

type Answer = Result<Asked, Gap>;

/// The smallest weight whose ratio to another is asked for.
const SMALLEST_SECOND: f32 = 0.01;

/// Asks for the sum of the query's weights.
pub fn sum(evidence: &Evidence) -> Answer {
    let sum: f32 = evidence.row(Need::Weights)?.iter().sum();
    Ok(Expected::about(sum, 0.005).into())
}

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

/// Asks whether one key gets more than half of the weight.
pub fn half(evidence: &Evidence) -> Answer {
    let top = top(evidence.visible_row(Need::Weights)?);
    Ok(Asked {
        expected: Expected::Truth(top > 0.5),
        values: vec![("weight", share_of_one(top, 3))],
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

/// The largest weight if 10 is added to each score.
pub fn shifted(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let logits = row.iter().map(|weight| f64::from(*weight).ln() + 10.0);
    let powers: Vec<f64> = logits.map(f64::exp).collect();
    let largest = powers.iter().copied().fold(0.0, f64::max) / powers.iter().sum::<f64>();
    Ok(Asked {
        expected: Expected::about(largest as f32, 0.02),
        values: vec![("weight", share_of_one(top(row), 3))],
    })
}

/// Asks whether the largest weight would be larger if scores were not divided.
pub fn sharper(evidence: &Evidence) -> Answer {
    if !evidence.facts.spec.scales_scores || evidence.facts.spec.score_cap.is_some() {
        return Err(Gap::Model);
    }
    let row = evidence.visible_row(Need::Weights)?;
    let scaled = evidence.visible_row(Need::ScaledScores)?;
    let scores = evidence.visible_row(Need::Scores)?;
    // What a position bias adds stays as it is.
    let undivided = row.iter().zip(scaled.iter().zip(scores));
    let logits = undivided.map(|(weight, (scaled, score))| weight.ln() + score - scaled);
    let unscaled = top(&softmax(&logits.collect::<Vec<_>>()));
    Ok(Asked {
        expected: Expected::Truth(unscaled > top(row)),
        values: vec![
            ("weight", share_of_one(top(row), 3)),
            ("unscaled", share_of_one(unscaled, 3)),
        ],
    })
}

/// The weight of each key where the query is zero.
pub fn zero(evidence: &Evidence) -> Answer {
    if evidence.facts.spec.positions.encoding.biases_scores() {
        return Err(Gap::Model);
    }
    let visible = evidence.facts.visible();
    let even = softmax(&vec![0.0; visible]);
    Ok(Asked {
        expected: Expected::about(top(&even), 0.03),
        values: vec![("visible", visible.to_string())],
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
        assert_eq!(met(sum(&evidence), "1"), Some(true));
        assert_eq!(met(strongest(&evidence), "1"), Some(true));
        assert_eq!(met(half(&evidence), "1"), Some(true));
        // ln(0.6 ÷ 0.3).
        assert_eq!(met(difference(&evidence), "0.69"), Some(true));
        assert_eq!(met(difference(&evidence), "0.3"), Some(false));
        assert_eq!(met(shifted(&evidence), "0.6"), Some(true));
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

    #[test]
    fn a_query_of_zeros_gives_equal_weights_to_what_it_sees() {
        assert_eq!(met(zero(&evidence(true, &[])), "0.5"), Some(true));
        assert_eq!(met(zero(&evidence(false, &[])), "0.33"), Some(true));
    }

    #[test]
    fn without_the_root_the_largest_weight_is_larger() {
        let scaled = [0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0];
        let scores = scaled.map(|score| score * 8.0);
        let weights = softmax(&scaled[3..6]);
        let rows = [&ROWS[..3], &weights, &ROWS[6..]].concat();
        let needs: [(Need, &[f32]); 3] = [
            (Need::Weights, &rows),
            (Need::ScaledScores, &scaled),
            (Need::Scores, &scores),
        ];
        let asked = sharper(&evidence(false, &needs)).unwrap();
        assert_eq!(asked.expected, Expected::Truth(true));
        let unscaled = top(&softmax(&scores[3..6]));
        assert_eq!(asked.values[1].1, share_of_one(unscaled, 3));
    }
}
