//! Questions about a whole map and its mask.

use super::{Asked, softmax, top};
use crate::kit::evidence::{Evidence, Gap, Need};
use attention_core::widgets::Expected;

type Answer = Result<Asked, Gap>;

/// The largest difference between a sum of rounded weights and the exact sum.
const ROUNDING: f32 = 1e-3;

/// Asks for the number of scores of the map that are not masked.
pub fn scores(evidence: &Evidence) -> Answer {
    let queries = 0..evidence.facts.names.len();
    let count = queries.map(|query| evidence.facts.seen(query).len());
    Ok(Expected::count(count.sum()).into())
}

/// Asks for the number of rows of the map that sum to one.
pub fn rows(evidence: &Evidence) -> Answer {
    let weights = evidence.matrix(Need::Weights)?;
    let width = weights.shape.last().copied().unwrap_or(1).max(1);
    let sums = weights
        .data
        .chunks_exact(width)
        .map(|row| row.iter().sum::<f32>());
    Ok(Expected::count(sums.filter(|sum| (sum - 1.0).abs() < ROUNDING).count()).into())
}

/// Asks for the number of weights of this sentence's map that a causal mask sets to zero.
pub fn masked(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len();
    Ok(Expected::count(n * n.saturating_sub(1) / 2).into())
}

/// Asks for the number of keys that the query can see.
pub fn visible(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.visible()).into())
}

/// Under a causal mask, the weight of the first token's only key.
pub fn alone(_: &Evidence) -> Answer {
    Ok(Expected::about(top(&softmax(&[0.0])), 0.0).into())
}

/// Asks whether any weight goes to a key after its query.
pub fn ahead(evidence: &Evidence) -> Answer {
    let weights = evidence.matrix(Need::Weights)?;
    let n = evidence.facts.names.len();
    let rows = weights.data.chunks_exact(n.max(1)).enumerate();
    let mut later = rows.flat_map(|(query, row)| row.iter().skip(query + 1));
    Ok(Expected::Truth(later.any(|&weight| weight > 0.0)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    const WHOLE: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    const CAUSAL: [f32; 9] = [1.0, 0.0, 0.0, 0.2, 0.8, 0.0, 0.3, 0.3, 0.4];

    #[test]
    fn a_mask_leaves_a_triangle() {
        let causal = evidence(true, &[(Need::Weights, &CAUSAL)]);
        for (answer, right) in [
            (scores(&causal), "6"),
            (masked(&causal), "3"),
            (visible(&causal), "2"),
            (rows(&causal), "3"),
            (alone(&causal), "1"),
            (ahead(&causal), "0"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }

    #[test]
    fn without_one_every_query_sees_every_key() {
        let whole = evidence(false, &[(Need::Weights, &WHOLE)]);
        for (answer, right) in [
            (scores(&whole), "9"),
            (masked(&whole), "3"),
            (visible(&whole), "3"),
            (rows(&whole), "3"),
            (ahead(&whole), "1"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }
}
