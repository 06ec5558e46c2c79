//! Questions about weights that are replaced.

use attention_trace::{ShuffledRow, shuffled_key, total_variation};

use crate::kit::{
    evidence::{Evidence, Gap, Need},
    questions::{Asked, top},
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The seed of the permutation in the questions.
const SEED: u32 = 1;
/// Entropies that differ by less are the same, in bits: sums in another order.
const ROUNDING: f32 = 1e-4;

/// The weight of each key of uniform weights.
pub fn uniform_weight(evidence: &Evidence) -> Answer {
    let visible = evidence.facts.visible();
    Ok(Asked {
        expected: Expected::about(1.0 / visible as f32, 0.03),
        values: vec![("visible", visible.to_string())],
    })
}

/// The largest of permuted weights.
pub fn permuted_top(evidence: &Evidence) -> Answer {
    let permuted = permuted(evidence)?;
    Ok(Expected::about(top(&permuted), 0.02).into())
}

/// Asks for the weight that moves if the largest and the smallest weight change places.
pub fn swapped(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let place = |of: fn(f32, f32) -> bool| {
        (0..row.len()).reduce(|best, at| if of(row[at], row[best]) { at } else { best })
    };
    let (large, least) = (place(|at, best| at > best), place(|at, best| at < best));
    let (Some(large), Some(least)) = (large, least) else {
        return Err(Gap::Sentence);
    };
    let mut swapped = row.to_vec();
    swapped.swap(large, least);
    Ok(Asked {
        expected: Expected::about(total_variation(row, &swapped), 0.02),
        values: vec![
            ("large", share_of_one(row[large], 3)),
            ("least", share_of_one(row[least], 3)),
        ],
    })
}

/// Asks for the weight that moves if weights are made uniform.
pub fn moved_to_uniform(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let uniform = vec![1.0 / row.len() as f32; row.len()];
    Ok(Asked {
        expected: Expected::about(total_variation(row, &uniform), 0.1),
        values: vec![
            ("large", share_of_one(top(row), 3)),
            ("visible", row.len().to_string()),
        ],
    })
}

/// Asks whether a permutation changes the entropy.
pub fn permuted_spread(evidence: &Evidence) -> Answer {
    let before = entropy(evidence.visible_row(Need::Weights)?);
    let after = entropy(&permuted(evidence)?);
    Ok(Asked {
        expected: Expected::Truth((before - after).abs() > ROUNDING),
        values: vec![("before", decimal(before, 2)), ("after", decimal(after, 2))],
    })
}

/// The query's weights in another order.
fn permuted(evidence: &Evidence) -> Result<Vec<f32>, Gap> {
    let row = evidence.visible_row(Need::Weights)?;
    let facts = &evidence.facts;
    let place = ShuffledRow {
        attention: facts.head.attention,
        head: facts.head.head,
        query: facts.query,
    };
    let order = shuffled_key(SEED, place, row.len());
    Ok(order.into_iter().map(|key| row[key]).collect())
}

/// Returns the entropy of weights, in bits.
fn entropy(weights: &[f32]) -> f32 {
    let parts = weights.iter().filter(|weight| **weight > 0.0);
    -parts.map(|weight| weight * weight.log2()).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// The second row is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn what_a_permutation_keeps_and_moves() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        assert_eq!(met(uniform_weight(&evidence), "0.333"), Some(true));
        assert_eq!(met(permuted_top(&evidence), "0.6"), Some(true));
        assert_eq!(met(permuted_top(&evidence), "0.3"), Some(false));
        assert_eq!(met(swapped(&evidence), "0.5"), Some(true));
        assert_eq!(met(swapped(&evidence), "1"), Some(false));
        // 0.6 − ⅓.
        assert_eq!(met(moved_to_uniform(&evidence), "0.267"), Some(true));
        assert_eq!(met(moved_to_uniform(&evidence), "0.6"), Some(false));
        assert_eq!(
            permuted_spread(&evidence).unwrap().expected,
            Expected::Truth(false)
        );
    }

    #[test]
    fn without_weights_there_is_nothing_to_move() {
        let none = evidence(false, &[]);
        for answer in [permuted_top, swapped, moved_to_uniform, permuted_spread] {
            assert_eq!(answer(&none), Err(Gap::Loading));
        }
    }
}
