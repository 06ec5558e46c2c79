//! Questions about a pass from tokens to the next one.

use attention_core::widgets::{
    Expected, label,
    numbers::{decimal, share_of_one},
};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{acting, four_of, hidden, named, quoted},
        decoding::step,
        one_largest,
    },
    trial::{Measure, Trial, step_words},
};

type Answer = Result<Asked, Gap>;

/// The least probability with enough digits to divide by.
const LEAST: f32 = 0.01;

/// Asks how many times as probable as the second candidate the first one is.
pub fn odds(evidence: &Evidence) -> Answer {
    let [first, second, ..] = step(evidence)?.candidates.as_slice() else {
        return Err(Gap::Sentence);
    };
    let [p, q] = [first, second].map(|candidate| candidate.log_probability.exp());
    if q < LEAST {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about(p / q, 0.05),
        values: vec![
            ("first", label(&first.token)),
            ("second", label(&second.token)),
            ("p", decimal(p, 3)),
            ("q", decimal(q, 3)),
        ],
    })
}

/// Four tokens, each hidden from all heads.
pub fn hidden_tokens(evidence: &Evidence) -> Result<Trial, Gap> {
    of_tokens(evidence, four_of(evidence, acting(evidence)?)?)
}

/// Asks which token, hidden, moves the probability of the step's token most.
pub fn hidden_token(evidence: &Evidence) -> Answer {
    hidden_tokens(evidence)?.moves_most(evidence)
}

/// Asks after how many of these changes another token is the most probable one.
pub fn hidden_token_changes(evidence: &Evidence) -> Answer {
    hidden_tokens(evidence)?.changes_token(evidence)
}

/// The key with the largest weight and three other tokens, each hidden from all heads.
pub fn strongest_hidden(evidence: &Evidence) -> Result<Trial, Gap> {
    let count = acting(evidence)?;
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    if key >= count {
        return Err(Gap::Sentence);
    }
    let mut places = four_of(evidence, count)?;
    match places.iter().position(|&place| place == key) {
        Some(own) => places.swap(0, own),
        None => places[0] = key,
    }
    of_tokens(evidence, places)
}

/// Asks why the token with the largest weight matters most for the step's token, or does not.
pub fn weight_and_effect(evidence: &Evidence) -> Answer {
    strongest_hidden(evidence)?.tells_reason(evidence, |most| usize::from(most != 0))
}

/// Asks for the wrong one of four statements about the query's row.
pub fn wrong_of_row(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let key = one_largest(row)?;
    let other = (key + 1) % row.len();
    if row.len() < 3 {
        return Err(Gap::Sentence);
    }
    let second = row.iter().enumerate().filter(|(place, _)| *place != key);
    let second = second.map(|(_, weight)| *weight).fold(0.0, f32::max);
    find_error(evidence, |derivation| {
        let strongest = derivation.words(quoted(evidence, key), quoted(evidence, other));
        let rest = derivation.number(1.0 - row[key], 1.0 - second);
        let count = derivation.words(row.len().to_string(), (row.len() - 1).to_string());
        let shifted = derivation.number(row[key], row[key] * row[key]);
        Ok(vec![
            ("strongest", strongest),
            ("weight", share_of_one(row[key], 3)),
            ("rest", share_of_one(rest, 3)),
            ("count", count),
            ("shifted", share_of_one(shifted, 3)),
        ])
    })
}

fn of_tokens(evidence: &Evidence, places: [usize; 4]) -> Result<Trial, Gap> {
    let mut values = step_words(evidence)?;
    values.extend(named(places.map(|place| quoted(evidence, place))));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: places.map(|place| hidden(evidence, place)).to_vec(),
        values,
    })
}
