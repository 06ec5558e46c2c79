//! Questions about repeats, weight above chance, and heads that are switched off.

use attention_core::{
    state::HeadChoice,
    widgets::{Expected, numbers::share_of_one},
};
use attention_trace::{AttentionLayer, Edit, Window};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{named, quoted},
    },
    trial::{Measure, Trial, step_words},
};

type Answer = Result<Asked, Gap>;

/// The fewest tokens of a text whose window leaves something out.
const FEWEST: usize = 4;

/// Asks for the place that an induction head attends to, where the text is read twice.
pub fn repeated_place(evidence: &Evidence) -> Answer {
    let (tokens, query) = (evidence.facts.names.len(), evidence.facts.query);
    // Counted from 1, the query stands behind the whole text once more; in the other form the text is read three times.
    let readings = if evidence.is_first_form() { 2 } else { 3 };
    if tokens < FEWEST || query + 1 >= tokens {
        return Err(Gap::Sentence);
    }
    let place = (readings - 1) * tokens + query + 1;
    Ok(Asked {
        expected: Expected::count(place + 1 - tokens),
        values: vec![
            ("tokens", tokens.to_string()),
            ("readings", readings.to_string()),
            ("place", place.to_string()),
            ("earlier", (place - tokens).to_string()),
        ],
    })
}

/// The weight of the query on the token before it, or two before it in the other form, and the number of keys it sees.
fn before(evidence: &Evidence) -> Result<(f32, usize, usize), Gap> {
    let row = evidence.visible_row(Need::Weights)?;
    let back = if evidence.is_first_form() { 1 } else { 2 };
    let key = evidence
        .facts
        .query
        .checked_sub(back)
        .ok_or(Gap::Sentence)?;
    let weight = *row.get(key).ok_or(Gap::Sentence)?;
    match row.len() > 2 {
        true => Ok((weight, row.len(), key)),
        false => Err(Gap::Sentence),
    }
}

/// Asks how far the weight on the token before is above chance.
pub fn above_chance(evidence: &Evidence) -> Answer {
    let (weight, visible, key) = before(evidence)?;
    let chance = 1.0 / visible as f32;
    Ok(Asked {
        expected: Expected::Number {
            right: ((weight - chance) / (1.0 - chance)).into(),
            tolerance: 0.02,
        },
        values: vec![
            ("key", quoted(evidence, key)),
            ("weight", share_of_one(weight, 3)),
            ("visible", visible.to_string()),
            ("chance", share_of_one(chance, 3)),
        ],
    })
}

/// Asks for the wrong step of the same computation.
pub fn wrong_of_chance(evidence: &Evidence) -> Answer {
    let (weight, visible, key) = before(evidence)?;
    find_error(evidence, |derivation| {
        let chance = derivation.number(1.0 / visible as f32, 1.0 / (visible + 2) as f32);
        let above = derivation.number(weight - chance, weight + chance);
        let room = derivation.number(1.0 - chance, 1.0 + chance);
        let share = derivation.number(above / room, above * room * 0.8);
        Ok(vec![
            ("key", quoted(evidence, key)),
            ("visible", visible.to_string()),
            ("weight", share_of_one(weight, 3)),
            ("chance", share_of_one(chance, 3)),
            ("above", share_of_one(above, 3)),
            ("room", share_of_one(room, 3)),
            ("share", share_of_one(share, 3)),
        ])
    })
}

/// Four heads of the stack of the head in sight, spread over its layers.
fn four_heads(evidence: &Evidence) -> Result<[HeadChoice; 4], Gap> {
    let kind = evidence.facts.head.attention.kind;
    let spec = &evidence.facts.spec;
    let all: Vec<HeadChoice> = HeadChoice::all(spec)
        .into_iter()
        .filter(|head| head.attention.kind == kind)
        .collect();
    if all.len() < 4 {
        return Err(Gap::Model);
    }
    let shift = evidence.facts.query + 2 * usize::from(!evidence.is_first_form());
    Ok([0, 1, 2, 3].map(|index| all[(index * all.len() / 4 + shift) % all.len()]))
}

/// Four heads, each switched off, measured by the query's final vector.
pub fn heads_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let heads = four_heads(evidence)?;
    let name = |head: HeadChoice| format!("{}.{}", head.attention.block(), head.head + 1);
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: heads.map(|head| vec![head.switched_off()]).to_vec(),
        values: named(heads.map(name)),
    })
}

/// The same, measured by the token of the step.
pub fn heads_off_for_step(evidence: &Evidence) -> Result<Trial, Gap> {
    let trial = heads_off(evidence)?;
    Ok(Trial {
        measure: Measure::LogProbability,
        values: [trial.values, step_words(evidence)?].concat(),
        ..trial
    })
}

/// Asks which head moves the query's final vector most when it is switched off.
pub fn heads_most(evidence: &Evidence) -> Answer {
    heads_off(evidence)?.moves_most(evidence)
}

/// Asks how many of these heads, switched off, make the step's token more probable.
pub fn heads_raise(evidence: &Evidence) -> Answer {
    heads_off_for_step(evidence)?.raises(evidence)
}

/// A window of two keys in the first layer of the writing stack, and in its last one.
pub fn first_or_last(evidence: &Evidence) -> Result<Trial, Gap> {
    let kind = super::found::KIND;
    let layers = evidence.facts.spec.layers(kind);
    if layers < 2 || evidence.facts.names.len() < FEWEST {
        return Err(Gap::Model);
    }
    let keys = if evidence.is_first_form() { 2 } else { 1 };
    let near = |layer| {
        vec![Edit::Window {
            attention: AttentionLayer { kind, layer },
            window: Window { keys, first: 0 },
        }]
    };
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: [0, layers - 1].map(near).to_vec(),
        values: [step_words(evidence)?, vec![("keys", keys.to_string())]].concat(),
    })
}

/// Asks which window costs the step's token more, and why.
pub fn near_first_or_last(evidence: &Evidence) -> Answer {
    first_or_last(evidence)?.tells_reason(evidence, |largest| largest)
}
