//! Questions about a head's weights on the visitor's sentence.

use super::{Asked, largest, one_largest, token};
use crate::{
    kit::evidence::{Evidence, Gap, Need},
    widgets::{Expected, Values, numbers::decimal},
};

type Answer = Result<Asked, Gap>;

/// The smallest weight whose ratio to another is asked for.
const SMALLEST_SECOND: f32 = 0.01;
/// How far a sum of rounded weights may lie from what it is.
const ROUNDING: f32 = 1e-3;

/// What the query's weights sum to.
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
        values: vec![("weight", decimal(weight, 3))],
    })
}

/// Whether one key gets more than half.
pub fn half(evidence: &Evidence) -> Answer {
    let top = top(evidence.visible_row(Need::Weights)?);
    Ok(Asked {
        expected: Expected::Truth(top > 0.5),
        values: vec![("weight", decimal(top, 3))],
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
    let values: Values = vec![("first", decimal(first, 3)), ("second", decimal(second, 3))];
    Ok(Asked {
        expected: Expected::about((first / second).ln(), 0.05),
        values,
    })
}

/// How many scores are left of the whole map.
pub fn scores(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len();
    let count = match evidence.facts.stack.causal {
        true => n * (n + 1) / 2,
        false => n * n,
    };
    Ok(Expected::count(count).into())
}

/// The largest weight if 10 is added to each score.
pub fn shifted(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let logits = row.iter().map(|weight| f64::from(*weight).ln() + 10.0);
    let powers: Vec<f64> = logits.map(f64::exp).collect();
    let largest = powers.iter().copied().fold(0.0, f64::max) / powers.iter().sum::<f64>();
    Ok(Asked {
        expected: Expected::about(largest as f32, 0.02),
        values: vec![("weight", decimal(top(row), 3))],
    })
}

/// Whether the largest weight would be larger if scores were not divided.
pub fn sharper(evidence: &Evidence) -> Answer {
    if !evidence.facts.spec.scales_scores {
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
            ("weight", decimal(top(row), 3)),
            ("unscaled", decimal(unscaled, 3)),
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

/// The key with the largest weight from another head of the layer.
pub fn other(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let right = largest(evidence.visible_row(Need::OtherWeights)?);
    Ok(token(evidence, right).into())
}

/// Whether both heads give their largest weight to the same key.
pub fn agree(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let one = one_largest(evidence.visible_row(Need::Weights)?)?;
    let two = one_largest(evidence.visible_row(Need::OtherWeights)?)?;
    Ok(Expected::Truth(one == two).into())
}

/// Whether this head spreads its weights more than the other.
pub fn wider(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let one = entropy(evidence.visible_row(Need::Weights)?);
    let two = entropy(evidence.visible_row(Need::OtherWeights)?);
    if (one - two).abs() < ROUNDING {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::Truth(one > two),
        values: vec![("own", decimal(one, 2)), ("others", decimal(two, 2))],
    })
}

/// How many rows of the map sum to one.
pub fn rows(evidence: &Evidence) -> Answer {
    let weights = evidence.matrix(Need::Weights)?;
    let width = weights.shape.last().copied().unwrap_or(1).max(1);
    let sums = weights
        .data
        .chunks_exact(width)
        .map(|row| row.iter().sum::<f32>());
    Ok(Expected::count(sums.filter(|sum| (sum - 1.0).abs() < ROUNDING).count()).into())
}

/// How many weights of a map of this sentence a causal mask sets to zero.
pub fn masked(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len();
    Ok(Expected::count(n * n.saturating_sub(1) / 2).into())
}

/// How many keys the query may look at.
pub fn visible(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.visible()).into())
}

/// Under a causal mask, the weight of the first token's only key.
pub fn alone(_: &Evidence) -> Answer {
    Ok(Expected::about(top(&softmax(&[0.0])), 0.0).into())
}

/// Whether any weight goes to a key after its query.
pub fn ahead(evidence: &Evidence) -> Answer {
    let weights = evidence.matrix(Need::Weights)?;
    let n = evidence.facts.names.len();
    let rows = weights.data.chunks_exact(n.max(1)).enumerate();
    let mut later = rows.flat_map(|(query, row)| row.iter().skip(query + 1));
    Ok(Expected::Truth(later.any(|&weight| weight > 0.0)).into())
}

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

/// How far the key with the largest weight is from the query.
pub fn distance(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    Ok(Asked {
        expected: Expected::count(key.abs_diff(evidence.facts.query)),
        values: target(evidence, key),
    })
}

/// Whether the key with the largest weight is the query's neighbour or itself.
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

/// The same after both moved by five places.
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

fn two_heads(evidence: &Evidence) -> Result<(), Gap> {
    match evidence.facts.stack.heads {
        0 | 1 => Err(Gap::Model),
        _ => Ok(()),
    }
}

fn top(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// Of weights, in bits.
fn entropy(weights: &[f32]) -> f32 {
    let parts = weights.iter().filter(|weight| **weight > 0.0);
    -parts.map(|weight| weight * weight.log2()).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::evidence::tests::evidence;

    /// Three rows that sum to one; the second is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    const CAUSAL: [f32; 9] = [1.0, 0.0, 0.0, 0.2, 0.8, 0.0, 0.3, 0.3, 0.4];

    fn whole() -> Evidence {
        evidence(
            false,
            &[(Need::Weights, &ROWS), (Need::OtherWeights, &CAUSAL)],
        )
    }

    fn met(answer: Answer, given: &str) -> Option<bool> {
        answer.unwrap().expected.is_met_by(given)
    }

    #[test]
    fn a_row_is_read_as_it_is() {
        let evidence = whole();
        assert_eq!(met(sum(&evidence), "1"), Some(true));
        assert_eq!(met(strongest(&evidence), "1"), Some(true));
        assert_eq!(met(half(&evidence), "1"), Some(true));
        // ln(0.6 ÷ 0.3).
        assert_eq!(met(difference(&evidence), "0.69"), Some(true));
        assert_eq!(met(difference(&evidence), "0.3"), Some(false));
        assert_eq!(met(shifted(&evidence), "0.6"), Some(true));
        assert_eq!(met(rows(&evidence), "3"), Some(true));
    }

    #[test]
    fn two_heads_are_compared() {
        let evidence = whole();
        assert_eq!(met(other(&evidence), "1"), Some(true));
        assert_eq!(met(agree(&evidence), "1"), Some(true));
        assert_eq!(met(wider(&evidence), "1"), Some(true));
        let mut alone = whole();
        alone.facts.stack.heads = 1;
        assert_eq!(other(&alone), Err(Gap::Model));
    }

    #[test]
    fn a_mask_leaves_a_triangle() {
        let causal = evidence(true, &[(Need::Weights, &CAUSAL)]);
        for (answer, right) in [
            (scores(&causal), "6"),
            (masked(&causal), "3"),
            (visible(&causal), "2"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
        assert_eq!(met(scores(&whole()), "9"), Some(true));
        assert_eq!(met(visible(&whole()), "3"), Some(true));
        assert_eq!(met(ahead(&causal), "0"), Some(true));
        assert_eq!(met(ahead(&whole()), "1"), Some(true));
        assert_eq!(met(alone(&causal), "1"), Some(true));
        assert_eq!(met(zero(&causal), "0.5"), Some(true));
        assert_eq!(met(zero(&whole()), "0.33"), Some(true));
    }

    #[test]
    fn a_reversed_sentence_moves_rows_and_columns() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.3, 0.6, 0.3, 0.3, 0.4];
        let evidence = evidence(false, &[(Need::Weights, &rows)]);
        assert_eq!(met(reversed_row(&evidence), "2"), Some(true));
        assert_eq!(met(reversed_column(&evidence), "1"), Some(true));
        assert_eq!(met(distance(&evidence), "1"), Some(true));
        assert_eq!(met(near(&evidence), "1"), Some(true));
        assert_eq!(met(offset(&evidence), "1"), Some(true));
        assert_eq!(met(shifted_offset(&evidence), "1"), Some(true));
    }

    #[test]
    fn equal_weights_decide_nothing_but_a_choice() {
        let rows = [1.0 / 3.0; 9];
        let evidence = evidence(
            false,
            &[(Need::Weights, &rows), (Need::OtherWeights, &rows)],
        );
        for answer in [
            distance(&evidence),
            near(&evidence),
            offset(&evidence),
            agree(&evidence),
            wider(&evidence),
        ] {
            assert_eq!(answer, Err(Gap::Sentence));
        }
        for given in ["0", "1", "2"] {
            assert_eq!(met(strongest(&evidence), given), Some(true));
        }
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
        assert_eq!(asked.values[1].1, decimal(unscaled, 3));
    }
}
