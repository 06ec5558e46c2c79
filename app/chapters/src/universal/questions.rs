//! Questions about one block that is used at every depth, and about positions that halt.

use attention_trace::{Halting, Ponder, config::UniversalConfig};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::{Expected, Values, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// The halting probabilities that are asked about.
const PROBABILITIES: [f32; 4] = [0.1, 0.25, 0.4, 0.5];
/// The settings of halting for these probabilities.
const HALTING: Halting = Halting {
    epsilon: 0.01,
    ponder_cost: 0.0,
};

fn listed(numbers: &[f32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(|&number| decimal(number, 2)).collect();
    numbers.join(", ")
}

fn given() -> Values {
    vec![
        ("probabilities", listed(&PROBABILITIES)),
        ("epsilon", decimal(HALTING.epsilon, 2)),
    ]
}

/// Returns the number of states that the block is applied to if every token of the sentence uses all depths.
pub fn block_passes(evidence: &Evidence) -> Answer {
    let depths = UniversalConfig::default().max_depth;
    Ok(Asked {
        expected: Expected::count(evidence.facts.names.len() * depths),
        values: vec![("depths", depths.to_string())],
    })
}

/// Returns the number of depths that a position with these probabilities uses.
pub fn halting_depth(_: &Evidence) -> Answer {
    Ok(Asked {
        expected: Expected::count(Ponder::of(&PROBABILITIES, HALTING).depth),
        values: given(),
    })
}

/// Returns the weight of the position's last state.
pub fn halting_remainder(_: &Evidence) -> Answer {
    Ok(Asked {
        expected: Expected::about(Ponder::of(&PROBABILITIES, HALTING).remainder, 0.0),
        values: given(),
    })
}

/// Returns the output of a position whose states are the numbers of their depths.
pub fn halting_mean(_: &Evidence) -> Answer {
    let ponder = Ponder::of(&PROBABILITIES, HALTING);
    let numbered = ponder.weights.iter().zip(1u8..);
    let mean: f32 = numbered
        .map(|(weight, number)| weight * f32::from(number))
        .sum();
    let mut values = given();
    values.push(("weights", listed(&ponder.weights)));
    Ok(Asked {
        expected: Expected::about(mean, 0.005),
        values,
    })
}

/// Returns the answer on the source's keys: they do not change between depths, because weights and source are the
/// same.
pub fn source_keys_change(_: &Evidence) -> Answer {
    Ok(Expected::Truth(false).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::questions::tests::{evidence_of, met};

    #[test]
    fn three_tokens_take_the_block_twelve_times() {
        let evidence = evidence_of(&[0.5]);
        for (answer, right) in [
            (block_passes(&evidence), "12"),
            (halting_depth(&evidence), "4"),
            (halting_remainder(&evidence), "0.25"),
            (halting_mean(&evidence), "2.8"),
            (source_keys_change(&evidence), "0"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }
}
