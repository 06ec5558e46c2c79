//! Questions about a head's habits: their numbers beside chance, and what they are good for.

use attention_trace::roles::{CLEAR, RoleScore};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{quoted, weighed},
    },
    trial::{Measure, Trial, choice, step_words},
};
use attention_core::widgets::{
    Expected, Values,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// A final vector that moves by a larger share has been changed.
const CHANGED: f32 = 0.05;

/// Returns the weight on the token before as a score above chance: 0 at chance, 1 for all weight.
pub fn above_chance(evidence: &Evidence) -> Answer {
    let score = previous(evidence)?;
    Ok(Asked {
        expected: Expected::about(score.above_chance(), 0.05),
        values: numbers(score),
    })
}

/// The weight on the first token.
pub fn on_first(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let first = row.first().filter(|_| row.len() > 1).ok_or(Gap::Sentence)?;
    Ok(Asked {
        expected: Expected::about(*first, 0.03),
        values: vec![(
            "first",
            evidence.facts.names.first().cloned().unwrap_or_default(),
        )],
    })
}

/// The head with four habits in place of its own: all weight on the token before, on the first one, on itself, and the
/// same weight on every token.
pub fn given_roles(evidence: &Evidence) -> Result<Trial, Gap> {
    let head = evidence.facts.head;
    let given = |weight: &dyn Fn(usize, usize) -> bool| {
        let queries = 0..evidence.facts.names.len();
        let of = |query| {
            let chosen = |key| f32::from(u8::from(weight(query, key)));
            weighed(evidence, head, query, chosen)
        };
        queries.map(of).collect::<Vec<_>>()
    };
    let first = |query| evidence.facts.seen(query).start;
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![
            given(&|query, key| key == query.saturating_sub(1).max(first(query))),
            given(&|query, key| key == first(query)),
            given(&|query, key| key == query),
            given(&|_, _| true),
        ],
        values: step_words(evidence)?,
    })
}

/// Asks which habit, given to the head, moves the probability of the step's token most.
pub fn given_role(evidence: &Evidence) -> Answer {
    given_roles(evidence)?.moves_most(evidence)
}

/// Asks how many of these habits make the step's token more probable.
pub fn given_role_raises(evidence: &Evidence) -> Answer {
    given_roles(evidence)?.raises(evidence)
}

/// The head switched off.
pub fn head_off(evidence: &Evidence) -> Result<Trial, Gap> {
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![vec![evidence.facts.head.switched_off()]],
        values: vec![],
    })
}

/// Asks whether the head has a clear habit here, and whether the query's vector needs the head.
pub fn role_and_need(evidence: &Evidence) -> Answer {
    let scores = habits(evidence)?;
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let trial = head_off(evidence)?;
    let effects = trial.effects(evidence)?;
    let right = match (most >= CLEAR, effects[0] > CHANGED) {
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (false, false) => 3,
    };
    let mut values = trial.words(&effects);
    let [before, first, itself] = scores.map(|score| decimal(score, 2));
    values.extend([("before", before), ("first", first), ("itself", itself)]);
    Ok(Asked {
        expected: choice(right),
        values,
    })
}

/// Asks for the wrong step between a weight and its score above chance.
pub fn wrong_of_role(evidence: &Evidence) -> Answer {
    let score = previous(evidence)?;
    let visible = evidence.facts.visible() as f32;
    let before = evidence.facts.query.saturating_sub(1);
    find_error(evidence, |derivation| {
        let chance = derivation.number(1.0 / visible, 2.0 / visible);
        let apart = derivation.number(score.weight - chance, score.weight + chance);
        let rest = derivation.number(1.0 - chance, 1.0 - score.weight);
        let above = derivation.number(apart / rest, apart * rest);
        Ok(vec![
            ("key", quoted(evidence, before)),
            ("visible", evidence.facts.visible().to_string()),
            ("weight", share_of_one(score.weight, 3)),
            ("chance", decimal(chance, 3)),
            ("apart", decimal(apart, 3)),
            ("rest", decimal(rest, 3)),
            ("above", decimal(above, 3)),
        ])
    })
}

/// The scores above chance of the token before, of the first one and of the query itself, over all queries that see
/// more than one token.
fn habits(evidence: &Evidence) -> Result<[f32; 3], Gap> {
    let facts = &evidence.facts;
    let weights = evidence.matrix(Need::Weights)?;
    let of = |key: &dyn Fn(usize) -> Option<usize>| -> Result<f32, Gap> {
        let mut scores = Vec::new();
        for query in 0..facts.names.len() {
            let seen = facts.seen(query);
            let Some(key) = key(query).filter(|key| seen.contains(key) && seen.len() > 1) else {
                continue;
            };
            let row = weights.row(&[query]).ok_or(Gap::Loading)?;
            let score = RoleScore {
                weight: *row.get(key).ok_or(Gap::Loading)?,
                chance: 1.0 / seen.len() as f32,
                queries: 1,
            };
            scores.push(score.above_chance());
        }
        match scores.len() {
            0 => Err(Gap::Sentence),
            count => Ok(scores.iter().sum::<f32>() / count as f32),
        }
    };
    Ok([
        of(&|query| query.checked_sub(1))?,
        of(&|query| Some(facts.seen(query).start))?,
        of(&Some)?,
    ])
}

/// The query's weight on the token before it, beside chance.
fn previous(evidence: &Evidence) -> Result<RoleScore, Gap> {
    let row = evidence.visible_row(Need::Weights)?;
    let before = evidence.facts.query.checked_sub(1).ok_or(Gap::Sentence)?;
    Ok(RoleScore {
        weight: *row.get(before).ok_or(Gap::Loading)?,
        chance: 1.0 / row.len() as f32,
        queries: 1,
    })
}

fn numbers(score: RoleScore) -> Values {
    vec![
        ("weight", share_of_one(score.weight, 3)),
        ("chance", share_of_one(score.chance, 3)),
    ]
}

#[cfg(test)]
mod tests {
    use attention_trace::Edit;

    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    /// Three rows that sum to one; the second is the query's.
    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.3, 0.3, 0.4];

    #[test]
    fn weights_are_compared_with_chance() {
        let evidence = evidence(false, &[(Need::Weights, &ROWS)]);
        // (0.6 − 1/3) ÷ (1 − 1/3).
        assert_eq!(met(above_chance(&evidence), "0.4"), Some(true));
        assert_eq!(met(on_first(&evidence), "0.6"), Some(true));
    }

    #[test]
    fn a_causal_query_has_its_own_chance() {
        let evidence = evidence(true, &[(Need::Weights, &ROWS)]);
        // (0.6 − 1/2) ÷ (1 − 1/2).
        assert_eq!(met(above_chance(&evidence), "0.2"), Some(true));
    }

    #[test]
    fn habits_are_means_over_all_queries() {
        let rows = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let [before, first, itself] = habits(&evidence(true, &[(Need::Weights, &rows)])).unwrap();
        assert_eq!(before, 1.0);
        // 1 at the second query, −1/2 at the third.
        assert!((first - 0.25).abs() < 1e-6);
        assert!((itself + 0.75).abs() < 1e-6);
    }

    #[test]
    fn a_habit_is_a_row_for_each_query() {
        let trial = given_roles(&evidence_of(&[0.5])).unwrap();
        let row = |change: usize, query: usize| match &trial.changes[change][query] {
            Edit::Pattern { weights, .. } => weights.clone(),
            edit => panic!("{edit:?}"),
        };
        assert_eq!(row(0, 2), [0.0, 1.0, 0.0]);
        assert_eq!(row(1, 2), [1.0, 0.0, 0.0]);
        assert_eq!(row(2, 2), [0.0, 0.0, 1.0]);
        assert_eq!(row(3, 0), [1.0 / 3.0; 3]);
    }
}
