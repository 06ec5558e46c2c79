//! Questions about order: words that are moved, positions that are taken away.

use attention_trace::Edit;

use attention_core::widgets::Expected;

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{FOUR, named, quoted},
        one_largest,
    },
    trial::{Measure, Trial, step_words},
};

type Answer = Result<Asked, Gap>;

/// The tokens that are put in front of a sentence.
const MOVED: usize = 5;

/// Asks for the column of the key with the largest weight after the tokens were reversed, from 1.
pub fn reversed_column(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    Ok(Asked {
        expected: Expected::count(evidence.facts.names.len() - key),
        values: target(evidence, key),
    })
}

/// Asks for the key's place minus the query's.
pub fn offset(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    let offset = key as f32 - evidence.facts.query as f32;
    Ok(Asked {
        expected: Expected::Number {
            right: offset.into(),
            tolerance: 0.0,
        },
        values: target(evidence, key),
    })
}

/// Four pairs of neighbours, each exchanged.
pub fn exchanged(evidence: &Evidence) -> Result<Trial, Gap> {
    let count = read(evidence)?;
    if count <= FOUR {
        return Err(Gap::Sentence);
    }
    let shift = usize::from(!evidence.is_first_form());
    let first = |index: usize| (index * (count - 1) / FOUR + shift) % (count - 1);
    let places = [0, 1, 2, 3].map(first);
    let exchange = |place: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        order.swap(place, place + 1);
        vec![Edit::Permute { order }]
    };
    let pair = |place| {
        format!(
            "{} ↔ {}",
            quoted(evidence, place),
            quoted(evidence, place + 1)
        )
    };
    let mut values = step_words(evidence)?;
    values.extend(named(places.map(pair)));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: places.map(exchange).to_vec(),
        values,
    })
}

/// Asks which exchange of neighbours moves the probability of the step's token most.
pub fn moved_word(evidence: &Evidence) -> Answer {
    exchanged(evidence)?.moves_most(evidence)
}

/// Asks how many of these exchanges make the step's token more probable.
pub fn moved_word_raises(evidence: &Evidence) -> Answer {
    exchanged(evidence)?.raises(evidence)
}

/// No positions, and the tokens reversed.
pub fn without_order(evidence: &Evidence) -> Result<Trial, Gap> {
    let count = read(evidence)?;
    if count < 2 {
        return Err(Gap::Sentence);
    }
    let order = (0..count).rev().collect();
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![vec![Edit::WithoutPositions], vec![Edit::Permute { order }]],
        values: step_words(evidence)?,
    })
}

/// Asks why a wrong order does more harm than none, or less.
pub fn order_or_none(evidence: &Evidence) -> Answer {
    without_order(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong one of four statements about places and distances.
pub fn wrong_of_places(evidence: &Evidence) -> Answer {
    let key = one_largest(evidence.visible_row(Need::Weights)?)?;
    let (query, n) = (evidence.facts.query, evidence.facts.names.len());
    let offset = key as isize - query as isize;
    find_error(evidence, |derivation| {
        let own = derivation.words(written(offset), written((key + query + 2) as isize));
        let moved = derivation.words(written(offset), written(offset + MOVED as isize));
        let column = derivation.words((n - key).to_string(), (n - key - 1).to_string());
        let wrong = if offset == 0 { 1 } else { offset };
        let reversed = derivation.words(written(-offset), written(wrong));
        let mut values = target(evidence, key);
        values.extend([
            ("own", own),
            ("moved", moved),
            ("column", column),
            ("reversed", reversed),
        ]);
        Ok(values)
    })
}

/// The number of tokens that can be put in another order, which are those in sight.
fn read(evidence: &Evidence) -> Result<usize, Gap> {
    let facts = &evidence.facts;
    match facts.head.attention.kind == facts.spec.permuted() {
        false => Err(Gap::Sentence),
        // Of a decoder-only model the prompt: the first step is written at its last position.
        true => Ok(match facts.spec.reads_source() {
            true => facts.names.len(),
            false => prompt(evidence)?,
        }),
    }
}

fn prompt(evidence: &Evidence) -> Result<usize, Gap> {
    let decoding = evidence.decoding.as_ref();
    let first = decoding.and_then(|decoding| decoding.steps.first());
    Ok(first.ok_or(Gap::Model)?.row + 1)
}

fn written(offset: isize) -> String {
    match offset {
        0 => "0".to_owned(),
        offset if offset < 0 => format!("−{}", -offset),
        offset => format!("+{offset}"),
    }
}

/// A key's name and its place from 1.
fn target(evidence: &Evidence, key: usize) -> Vec<(&'static str, String)> {
    let name = evidence.facts.names.get(key).cloned().unwrap_or_default();
    vec![("key", name), ("key_place", (key + 1).to_string())]
}
