//! Questions about vectors that are taken over from another place.

use attention_trace::{AttentionLayer, Edit, Quantity};

use crate::{
    kit::{
        derivation::find_error,
        evidence::{Evidence, Gap, Need},
        questions::{
            Asked,
            changes::{acting, four_of, named, quoted},
        },
        trial::{Measure, Trial, step_words},
    },
    lens::questions::{first_two, gap},
};
use attention_core::widgets::{
    Expected, label,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The difference of logits that the other run is supposed to have, in both forms.
const OTHER: [f32; 2] = [-1.0, -2.0];

/// Returns the number of the next layer's positions that a patch at the token being read can change.
pub fn reached_positions(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let token = facts.names.get(facts.query).ok_or(Gap::Sentence)?;
    let queries = 0..facts.names.len();
    let reached = queries.filter(|&query| facts.seen(query).contains(&facts.query));
    Ok(Asked {
        expected: Expected::count(reached.count()),
        values: vec![("token", token.clone())],
    })
}

/// Asks for the share of the difference that a patch brings back if a third of the clean run's difference is seen.
pub fn brought_back(evidence: &Evidence) -> Answer {
    let [first, second] = first_two(evidence)?;
    let clean = rounded(gap(first, second));
    let (other, patched) = (other(evidence), rounded(clean / 3.0));
    Ok(Asked {
        expected: Expected::about((patched - other) / (clean - other), 0.02),
        values: vec![
            ("token", label(&first.token)),
            ("second", label(&second.token)),
            ("clean", decimal(clean, 2)),
            ("other_gap", decimal(other, 2)),
            ("patched", decimal(patched, 2)),
        ],
    })
}

/// Four tokens whose vectors after the first layer's attention are each replaced by that of the token after.
pub fn tokens_patched(evidence: &Evidence) -> Result<Trial, Gap> {
    let count = acting(evidence)?;
    let places = four_of(evidence, count)?;
    let changes: Result<Vec<_>, Gap> = places
        .iter()
        .map(|&place| patched(evidence, Need::FirstStream, place, count))
        .collect();
    let pair = |place: usize| {
        let from = quoted(evidence, (place + 1) % count);
        format!("{} ← {from}", quoted(evidence, place))
    };
    let mut values = step_words(evidence)?;
    values.extend(named(places.map(pair)));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: changes?,
        values,
    })
}

/// Asks which patch moves the probability of the step's token most.
pub fn token_patched(evidence: &Evidence) -> Answer {
    tokens_patched(evidence)?.moves_most(evidence)
}

/// Asks after how many of these patches another token is the most probable one.
pub fn token_patched_changes(evidence: &Evidence) -> Answer {
    tokens_patched(evidence)?.changes_token(evidence)
}

/// The token that is read, patched in the first layer and in the last one.
pub fn two_depths(evidence: &Evidence) -> Result<Trial, Gap> {
    let (count, place) = (acting(evidence)?, evidence.facts.query);
    if place >= count || count < 2 || evidence.facts.stack.layers < 2 {
        return Err(Gap::Sentence);
    }
    let mut values = step_words(evidence)?;
    values.extend([
        ("there", quoted(evidence, (place + 1) % count)),
        ("layers", evidence.facts.stack.layers.to_string()),
    ]);
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![
            patched(evidence, Need::FirstStream, place, count)?,
            patched(evidence, Need::LastStream, place, count)?,
        ],
        values,
    })
}

/// Asks why a patch of the token matters more in the first layer than in the last one, or less.
pub fn early_or_late(evidence: &Evidence) -> Answer {
    two_depths(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong step between two probabilities and the share that a patch brings back.
pub fn wrong_of_share(evidence: &Evidence) -> Answer {
    let [first, second] = first_two(evidence)?;
    let [p, q] = [first, second].map(|candidate| candidate.log_probability.exp());
    let (other, clean) = (other(evidence), gap(first, second));
    let patched = rounded(clean / 3.0);
    find_error(evidence, |derivation| {
        let clean = derivation.number(clean, p - q);
        let lost = derivation.number(clean - other, clean + other);
        let back = derivation.number(patched - other, patched);
        let share = derivation.number(back / lost, lost / back);
        Ok(vec![
            ("token", label(&first.token)),
            ("second", label(&second.token)),
            ("p", share_of_one(p, 5)),
            ("q", share_of_one(q, 5)),
            ("other_gap", decimal(other, 2)),
            ("patched", decimal(patched, 2)),
            ("clean", decimal(clean, 3)),
            ("lost", decimal(lost, 3)),
            ("back", decimal(back, 3)),
            ("share", decimal(share, 3)),
        ])
    })
}

/// Puts the vector of the next of `count` tokens in the place of one token's.
fn patched(
    evidence: &Evidence,
    streams: Need,
    place: usize,
    count: usize,
) -> Result<Vec<Edit>, Gap> {
    let facts = &evidence.facts;
    let layer = match streams {
        Need::FirstStream => 0,
        _ => facts.stack.layers.saturating_sub(1),
    };
    let attention = AttentionLayer {
        layer,
        ..facts.head.attention
    };
    let there = (place + 1) % count;
    let streams = evidence.matrix(streams)?;
    let row = streams.row(&[there]).ok_or(Gap::Loading)?;
    Ok(vec![Edit::ReplaceRows {
        site: attention.at(Quantity::Residual),
        head: None,
        rows: vec![[0, place]],
        array: attention_trace::Array {
            shape: vec![1, row.len()],
            data: row.to_vec(),
        },
    }])
}

fn other(evidence: &Evidence) -> f32 {
    OTHER[usize::from(!evidence.is_first_form())]
}

/// The number as it is written in the question.
fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use attention_trace::Array;

    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn a_patch_reaches_who_may_look_at_it() {
        assert_eq!(
            met(reached_positions(&evidence(false, &[])), "3"),
            Some(true)
        );
        // The second of three tokens of a causal stack.
        assert_eq!(
            met(reached_positions(&evidence(true, &[])), "2"),
            Some(true)
        );
    }

    #[test]
    fn a_share_is_counted_from_the_other_run() {
        // ln 2 = 0.69 in the clean run, −1 in the other one, 0.23 after the patch.
        assert_eq!(met(brought_back(&evidence_of(&[0.4])), "0.728"), Some(true));
    }

    #[test]
    fn the_next_token_s_vector_is_taken() {
        let mut evidence = evidence_of(&[0.4]);
        let excerpt = Need::FirstStream.excerpt(&evidence).unwrap();
        evidence.add(
            excerpt,
            Array {
                shape: vec![3, 2],
                data: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
            },
        );
        let edits = patched(&evidence, Need::FirstStream, 2, 3).unwrap();
        match &edits[0] {
            Edit::ReplaceRows { rows, array, .. } => {
                assert_eq!(rows, &[[0, 2]]);
                assert_eq!(array.data, [0.0, 1.0]);
            }
            edit => panic!("{edit:?}"),
        }
        assert_eq!(edits[0].fault(&evidence.facts.spec), None);
        assert_eq!(two_depths(&evidence), Err(Gap::Loading));
    }
}
