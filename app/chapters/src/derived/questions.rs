//! Questions about maps that are derived from weights: as if the layer had the head in sight alone.

use attention_trace::{
    Array,
    derived::{JointMap, residual_mix},
};

use crate::kit::{
    evidence::{Evidence, Gap, Need},
    questions::{Asked, top},
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// Sums that differ by less are the same.
const ROUNDING: f32 = 1e-4;

/// Half the weights and half the identity.
fn mixed(evidence: &Evidence) -> Result<Array, Gap> {
    let weights = evidence.matrix(Need::Weights)?;
    let one_head = Array {
        shape: [&[1], weights.shape.as_slice()].concat(),
        data: weights.data.clone(),
    };
    residual_mix(&one_head).ok_or(Gap::Sentence)
}

/// The query's row of two such layers one on another.
fn twice(evidence: &Evidence, map: JointMap) -> Result<Vec<f32>, Gap> {
    let layer = mixed(evidence)?;
    let joint = map.of(&[layer.clone(), layer]).map_err(|_| Gap::Sentence)?;
    let row = joint.row(&[evidence.facts.query]);
    row.map(<[f32]>::to_vec).ok_or(Gap::Sentence)
}

/// Asks for the share of a query's own position after the residual stream is mixed in.
pub fn mixed_own(evidence: &Evidence) -> Answer {
    let query = evidence.facts.query;
    let weight = evidence.row(Need::Weights)?.get(query).copied();
    let weight = weight.ok_or(Gap::Sentence)?;
    let mixed = mixed(evidence)?;
    let own = mixed.row(&[query]).and_then(|row| row.get(query).copied());
    Ok(Asked {
        expected: Expected::about(own.ok_or(Gap::Sentence)?, 0.02),
        values: vec![("own", share_of_one(weight, 3))],
    })
}

/// The most that it takes from another token.
pub fn mixed_other(evidence: &Evidence) -> Answer {
    let mut row = evidence.visible_row(Need::Weights)?.to_vec();
    if let Some(own) = row.get_mut(evidence.facts.query) {
        *own = 0.0;
    }
    let most = top(&row);
    match most > ROUNDING {
        true => Ok(Asked {
            expected: Expected::about(most / 2.0, 0.02),
            values: vec![("most", share_of_one(most, 3))],
        }),
        false => Err(Gap::Sentence),
    }
}

/// Asks for the share of its own input that a position keeps after two layers.
pub fn rolled_own(evidence: &Evidence) -> Answer {
    let row = twice(evidence, JointMap::Rollout)?;
    let own = row.get(evidence.facts.query).copied();
    Ok(Expected::about(own.ok_or(Gap::Sentence)?, 0.05).into())
}

/// Asks for the sum of a row of rollout over two layers.
pub fn rolled_sum(evidence: &Evidence) -> Answer {
    let row = twice(evidence, JointMap::Rollout)?;
    Ok(Expected::about(row.iter().sum(), 0.01).into())
}

/// Asks whether the flows of a row sum to more than one.
pub fn flow_sum(evidence: &Evidence) -> Answer {
    let sum: f32 = twice(evidence, JointMap::Flow)?.iter().sum();
    Ok(Asked {
        expected: Expected::Truth(sum > 1.0 + ROUNDING),
        values: vec![("sum", decimal(sum, 2))],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// The second row is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn half_of_a_query_stays() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        assert_eq!(met(mixed_own(&evidence), "0.8"), Some(true));
        assert_eq!(met(mixed_own(&evidence), "0.6"), Some(false));
        assert_eq!(met(mixed_other(&evidence), "0.15"), Some(true));
        // 0.05 · 0.15 + 0.8 · 0.8 + 0.15 · 0.15.
        assert_eq!(met(rolled_own(&evidence), "0.67"), Some(true));
        assert_eq!(met(rolled_own(&evidence), "0.8"), Some(false));
        assert_eq!(met(rolled_sum(&evidence), "1"), Some(true));
        assert_eq!(flow_sum(&evidence).unwrap().expected, Expected::Truth(true));
    }

    #[test]
    fn without_weights_there_is_nothing_to_follow() {
        let none = evidence(false, &[]);
        for answer in [mixed_own, mixed_other, rolled_own, rolled_sum, flow_sum] {
            assert_eq!(answer(&none), Err(Gap::Loading));
        }
    }
}
