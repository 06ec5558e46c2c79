//! Questions about weights that are replaced.

use attention_trace::{Edit, ShuffledRow, shuffled_key, total_variation};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{four_attentions, named, quoted},
        one_largest, top,
    },
    trial::{Measure, Trial, reason, step_words},
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The seeds of the permutations in both forms.
const SEEDS: [u32; 2] = [1, 2];
/// The factor of a hidden key: a query that sees no other keeps it.
const HIDDEN: f32 = 1e-6;
/// Weights of which a smaller share moves are nearly the same.
const NEARLY: f32 = 0.3;
/// A vector that moves by a larger share is another one.
const CHANGED: f32 = 0.15;

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

/// The head with other weights in four ways: permuted, uniform, without the query's strongest key, and none at all.
pub fn replacements(evidence: &Evidence) -> Result<Trial, Gap> {
    let head = evidence.facts.head;
    let (attention, own) = (head.attention, Some(head.head));
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    let mut values = step_words(evidence)?;
    values.push(("key", quoted(evidence, key)));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![
            vec![Edit::Shuffle {
                attention,
                head: own,
                seed: seed(evidence),
            }],
            vec![Edit::Uniform {
                attention,
                head: own,
            }],
            vec![Edit::ScaleKey {
                attention,
                head: own,
                key,
                factor: HIDDEN,
            }],
            vec![head.switched_off()],
        ],
        values,
    })
}

/// Asks which replacement moves the probability of the step's token most.
pub fn replaced_by(evidence: &Evidence) -> Answer {
    replacements(evidence)?.moves_most(evidence)
}

/// Four attentions, each with permuted weights in all heads.
pub fn shuffled_layers(evidence: &Evidence) -> Result<Trial, Gap> {
    let chosen = four_attentions(evidence)?;
    let mut values = step_words(evidence)?;
    values.extend(named(chosen.map(|attention| attention.block().to_string())));
    let shuffled = |attention| {
        vec![Edit::Shuffle {
            attention,
            head: None,
            seed: seed(evidence),
        }]
    };
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: chosen.map(shuffled).to_vec(),
        values,
    })
}

/// Asks after how many of these permutations another token is the most probable one.
pub fn shuffled_changes(evidence: &Evidence) -> Answer {
    shuffled_layers(evidence)?.changes_token(evidence)
}

/// The layer in sight with permuted weights in all heads.
pub fn shuffled_layer(evidence: &Evidence) -> Result<Trial, Gap> {
    let attention = evidence.facts.head.attention;
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![vec![Edit::Shuffle {
            attention,
            head: None,
            seed: seed(evidence),
        }]],
        values: vec![("layer", (attention.layer + 1).to_string())],
    })
}

/// Asks why the query's final vector changes, or hardly changes, if the layer's weights are permuted.
pub fn permuted_reason(evidence: &Evidence) -> Answer {
    let moved = moved_by_shuffle(evidence)?;
    let trial = shuffled_layer(evidence)?;
    let effects = trial.effects(evidence)?;
    let right = match (moved < NEARLY, effects[0] > CHANGED) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let mut values = trial.words(&effects);
    values.push(("moved", share_of_one(moved, 2)));
    Ok(Asked {
        expected: reason(right),
        values,
    })
}

/// Asks for the wrong step between a row of weights and how much of it moves to uniform weights.
pub fn wrong_of_moved(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let count = row.len() as f32;
    if row.len() < 3 {
        return Err(Gap::Sentence);
    }
    let largest = top(row);
    let differences = |even: f32| row.iter().map(move |weight| (weight - even).abs());
    find_error(evidence, |derivation| {
        let even = derivation.number(1.0 / count, 1.0 / (count - 1.0));
        let own = derivation.number(largest - even, largest + even);
        let all: f32 = differences(even).sum();
        let moved = derivation.number(all / 2.0, all);
        let kept = derivation.number(1.0 - moved, 1.0 - moved / 2.0);
        Ok(vec![
            ("visible", row.len().to_string()),
            ("even", decimal(even, 3)),
            ("largest", share_of_one(largest, 3)),
            ("own", decimal(own, 3)),
            ("all", decimal(all, 3)),
            ("moved", decimal(moved, 3)),
            ("kept", decimal(kept, 3)),
        ])
    })
}

/// The share of the query's weights that a permutation moves, as a mean over the layer's heads.
fn moved_by_shuffle(evidence: &Evidence) -> Result<f32, Gap> {
    let facts = &evidence.facts;
    let (attention, query, seen) = (facts.head.attention, facts.query, facts.seen(facts.query));
    let weights = evidence.matrix(Need::LayerWeights)?;
    let mut sum = 0.0;
    for head in 0..facts.stack.heads {
        let row = weights.row(&[head]).and_then(|row| row.get(seen.clone()));
        let row = row.ok_or(Gap::Loading)?;
        let place = ShuffledRow {
            attention,
            head,
            query,
        };
        let order = shuffled_key(seed(evidence), place, row.len());
        let permuted: Vec<f32> = order.into_iter().map(|key| row[key]).collect();
        sum += total_variation(row, &permuted);
    }
    Ok(sum / facts.stack.heads.max(1) as f32)
}

fn seed(evidence: &Evidence) -> u32 {
    SEEDS[usize::from(!evidence.is_first_form())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    /// Three rows that sum to one; the second is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn weights_that_move_are_counted_once() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        // 0.6 and 0.1 change places.
        assert_eq!(met(swapped(&evidence), "0.5"), Some(true));
        // 0.6 − 1/3.
        assert_eq!(met(moved_to_uniform(&evidence), "0.267"), Some(true));
    }

    #[test]
    fn a_causal_row_has_only_what_it_sees() {
        let rows = [1.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.3, 0.3, 0.4];
        let evidence = evidence(true, &[(Need::Weights, &rows)]);
        assert_eq!(met(moved_to_uniform(&evidence), "0.25"), Some(true));
        assert_eq!(wrong_of_moved(&evidence), Err(Gap::Sentence));
    }
}
