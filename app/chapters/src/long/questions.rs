//! Questions about windows, the first token and the reach of layers.

use attention_core::widgets::{Expected, numbers::share_of_one};
use attention_trace::{AttentionLayer, Edit, Window};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{hidden, quoted},
        one_largest,
    },
    trial::{Measure, Trial, reason, step_words},
};

type Answer = Result<Asked, Gap>;

/// The fewest tokens of a text that a window leaves something out of.
const FEWEST: usize = 5;
/// Effects that differ by a smaller share are alike.
const ALIKE: f32 = 0.1;

/// A window that depends on the text, and in each form another one.
fn window(evidence: &Evidence) -> Window {
    let form = usize::from(!evidence.is_first_form());
    Window {
        keys: 2 + (evidence.facts.names.len() + form) % 3,
        first: 1 + form,
    }
}

/// Asks for the number of pairs of a query and a key that a causal window leaves.
pub fn seen_keys(evidence: &Evidence) -> Answer {
    let (window, tokens) = (window(evidence), evidence.facts.names.len());
    let seen = |query: usize| (0..=query).filter(|&key| window.sees(query, key)).count();
    let expected: usize = (0..tokens).map(seen).sum();
    match tokens < FEWEST {
        true => Err(Gap::Sentence),
        false => Ok(Asked {
            expected: Expected::count(expected),
            values: vec![
                ("count", tokens.to_string()),
                ("keys", window.keys.to_string()),
                ("first", window.first.to_string()),
                ("all", (tokens * (tokens + 1) / 2).to_string()),
            ],
        }),
    }
}

/// Asks for the fewest layers through which the first token reaches the last one.
pub fn reach(evidence: &Evidence) -> Answer {
    let tokens = evidence.facts.names.len();
    let keys = window(evidence).keys;
    match tokens < FEWEST {
        true => Err(Gap::Sentence),
        false => Ok(Asked {
            expected: Expected::count((tokens - 1).div_ceil(keys - 1)),
            values: vec![
                ("count", tokens.to_string()),
                ("keys", keys.to_string()),
                ("step", (keys - 1).to_string()),
                ("way", (tokens - 1).to_string()),
            ],
        }),
    }
}

/// Three windows over the text in every layer of the stack, and its first token hidden.
pub fn windows(evidence: &Evidence) -> Result<Trial, Gap> {
    if evidence.facts.names.len() < FEWEST {
        return Err(Gap::Sentence);
    }
    let keys = window(evidence).keys + 1;
    let near_and_first = Window { keys: 2, first: 1 };
    let near = Window { keys, first: 0 };
    let first_two = Window { keys: 1, first: 2 };
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![
            in_all(evidence, near_and_first),
            in_all(evidence, near),
            in_all(evidence, first_two),
            hidden(evidence, 0),
        ],
        values: vec![("keys", keys.to_string())],
    })
}

/// The same changes, measured by the token of the step.
pub fn windows_for_step(evidence: &Evidence) -> Result<Trial, Gap> {
    let trial = windows(evidence)?;
    Ok(Trial {
        measure: Measure::LogProbability,
        values: [trial.values, step_words(evidence)?].concat(),
        ..trial
    })
}

/// Asks how many of these changes make the step's token more probable.
pub fn windows_raise(evidence: &Evidence) -> Answer {
    windows_for_step(evidence)?.raises(evidence)
}

/// Asks which of these changes moves the query's final vector most.
pub fn windows_most(evidence: &Evidence) -> Answer {
    windows(evidence)?.moves_most(evidence)
}

/// The first token hidden in every layer, and the one before the query.
pub fn first_and_neighbour(evidence: &Evidence) -> Result<Trial, Gap> {
    let neighbour = neighbour(evidence)?;
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![hidden(evidence, 0), hidden(evidence, neighbour)],
        values: vec![
            ("first", quoted(evidence, 0)),
            ("second", quoted(evidence, neighbour)),
        ],
    })
}

/// Asks why hiding the first token moves the final vector more than hiding the neighbour, or less.
pub fn hidden_first(evidence: &Evidence) -> Answer {
    let trial = first_and_neighbour(evidence)?;
    let effects = trial.effects(evidence)?;
    let [first, neighbour] = effects[..] else {
        return Err(Gap::Loading);
    };
    let apart = (first - neighbour).abs() / first.max(neighbour).max(f32::MIN_POSITIVE);
    let right = match first > neighbour {
        _ if apart < ALIKE => 2,
        true => 0,
        false => 1,
    };
    Ok(Asked {
        expected: reason(right),
        values: trial.words(&effects),
    })
}

/// Asks for the wrong step of giving a row a window by hand.
pub fn wrong_of_window(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let (query, visible) = (evidence.facts.query, row.len());
    let window = Window {
        first: 0,
        ..window(evidence)
    };
    let seen: Vec<usize> = (0..visible)
        .filter(|&key| window.sees(query, key))
        .collect();
    if seen.len() == visible {
        return Err(Gap::Sentence);
    }
    let kept: f32 = seen.iter().map(|&key| row[key]).sum();
    let weights: Vec<f32> = seen.iter().map(|&key| row[key]).collect();
    let strongest = seen[one_largest(&weights)?];
    find_error(evidence, |derivation| {
        let count = derivation.words(seen.len().to_string(), (seen.len() + 1).to_string());
        let sum = derivation.number(kept, 1.0 - kept);
        let most = derivation.number(row[strongest], kept - row[strongest]);
        let new = derivation.number(most / sum.max(f32::MIN_POSITIVE), most * sum);
        Ok(vec![
            ("keys", window.keys.to_string()),
            ("visible", visible.to_string()),
            ("count", count),
            ("sum", share_of_one(sum, 3)),
            ("key", quoted(evidence, strongest)),
            ("most", share_of_one(most, 3)),
            ("new", share_of_one(new, 3)),
        ])
    })
}

/// The place before the query, but not the first.
fn neighbour(evidence: &Evidence) -> Result<usize, Gap> {
    let query = evidence.facts.query;
    let back = if evidence.is_first_form() { 1 } else { 2 };
    let place = query.checked_sub(back).filter(|&place| place > 0);
    place.ok_or(Gap::Sentence)
}

fn in_all(evidence: &Evidence, window: Window) -> Vec<Edit> {
    let kind = evidence.facts.head.attention.kind;
    let layers = 0..evidence.facts.spec.layers(kind);
    layers
        .map(|layer| Edit::Window {
            attention: AttentionLayer { kind, layer },
            window,
        })
        .collect()
}
