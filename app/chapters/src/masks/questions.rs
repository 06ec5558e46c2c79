//! Questions about keys that are hidden.

use attention_trace::{AttentionLayer, Edit};

use attention_core::widgets::{Expected, numbers::share_of_one};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{acting, four_of, hidden_in, named, quoted},
        one_largest,
    },
    trial::{Measure, Trial, reason, step_words},
};

type Answer = Result<Asked, Gap>;

/// The largest weight whose absence leaves enough to divide by.
const MOST: f32 = 0.98;
/// Effects that differ by a smaller share are alike.
const ALIKE: f32 = 0.1;

/// Asks for the number of weights that a causal mask sets to zero, in the other form for a longer text.
pub fn masked(evidence: &Evidence) -> Answer {
    let longer = if evidence.is_first_form() { 0 } else { 2 };
    let count = evidence.facts.names.len() + longer;
    Ok(Asked {
        expected: Expected::count(count * count.saturating_sub(1) / 2),
        values: vec![("count", count.to_string())],
    })
}

/// Asks for the second-largest weight after the key with the largest is masked.
pub fn after_masking(evidence: &Evidence) -> Answer {
    let (keys, weights) = two_largest(evidence)?;
    let [most, second] = weights;
    Ok(Asked {
        expected: Expected::about(second / (1.0 - most), 0.03),
        values: vec![
            ("first", quoted(evidence, keys[0])),
            ("second", quoted(evidence, keys[1])),
            ("most", share_of_one(most, 3)),
            ("less", share_of_one(second, 3)),
        ],
    })
}

/// Four tokens, each masked in every head of every layer of the stack.
pub fn masked_keys(evidence: &Evidence) -> Result<Trial, Gap> {
    let places = four_of(evidence, evidence.facts.visible())?;
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: places.map(|place| masked_in_all(evidence, place)).to_vec(),
        values: named(places.map(|place| quoted(evidence, place))),
    })
}

/// Asks which token, masked, moves the query's final vector most.
pub fn masked_key(evidence: &Evidence) -> Answer {
    masked_keys(evidence)?.moves_most(evidence)
}

/// Four tokens that can act on the step, masked in the same way.
pub fn masked_for_step(evidence: &Evidence) -> Result<Trial, Gap> {
    let places = four_of(evidence, acting(evidence)?)?;
    let mut values = step_words(evidence)?;
    values.extend(named(places.map(|place| quoted(evidence, place))));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: places.map(|place| masked_in_all(evidence, place)).to_vec(),
        values,
    })
}

/// Asks how many of these masks make the step's token more probable.
pub fn masked_key_raises(evidence: &Evidence) -> Answer {
    masked_for_step(evidence)?.raises(evidence)
}

/// The strongest key masked before softmax, and its weight set to zero after it.
pub fn before_and_after(evidence: &Evidence) -> Result<Trial, Gap> {
    let (keys, _) = two_largest(evidence)?;
    let facts = &evidence.facts;
    let mut weights = evidence.visible_row(Need::Weights)?.to_vec();
    weights[keys[0]] = 0.0;
    let (attention, head, query) = (facts.head.attention, facts.head.head, facts.query);
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![
            vec![Edit::SetWeight {
                attention,
                head,
                query,
                key: keys[0],
                weight: 0.0,
            }],
            vec![Edit::Pattern {
                attention,
                head,
                query,
                weights,
            }],
        ],
        values: vec![("first", quoted(evidence, keys[0]))],
    })
}

/// Asks why masking before softmax and zeroing after it move the vector differently, or alike.
pub fn softmax_and_mask(evidence: &Evidence) -> Answer {
    let (_, [most, _]) = two_largest(evidence)?;
    let trial = before_and_after(evidence)?;
    let effects = trial.effects(evidence)?;
    let [masked, zeroed] = effects[..] else {
        return Err(Gap::Loading);
    };
    let apart = (masked - zeroed).abs() / masked.max(zeroed).max(f32::MIN_POSITIVE);
    let right = match masked > zeroed {
        _ if apart < ALIKE => 2,
        true => 0,
        false => 1,
    };
    let mut values = trial.words(&effects);
    values.extend([
        ("most", share_of_one(most, 3)),
        ("rest", share_of_one(1.0 - most, 3)),
    ]);
    Ok(Asked {
        expected: reason(right),
        values,
    })
}

/// Asks for the wrong step of masking a row by hand.
pub fn wrong_of_mask(evidence: &Evidence) -> Answer {
    let (keys, [most, second]) = two_largest(evidence)?;
    let visible = evidence.facts.visible();
    find_error(evidence, |derivation| {
        let first = derivation.words(quoted(evidence, keys[0]), quoted(evidence, keys[1]));
        let rest = derivation.number(1.0 - most, 1.0 - second);
        let new = derivation.number(second / rest, second + most);
        let left = derivation.words((visible - 1).to_string(), visible.to_string());
        Ok(vec![
            ("first", first),
            ("most", share_of_one(most, 3)),
            ("rest", share_of_one(rest, 3)),
            ("second", quoted(evidence, keys[1])),
            ("less", share_of_one(second, 3)),
            ("new", share_of_one(new, 3)),
            ("left", left),
        ])
    })
}

fn masked_in_all(evidence: &Evidence, key: usize) -> Vec<Edit> {
    let kind = evidence.facts.head.attention.kind;
    let layers = 0..evidence.facts.spec.layers(kind);
    hidden_in(layers.map(|layer| AttentionLayer { kind, layer }), key)
}

/// The two keys with the largest weights, and their weights.
fn two_largest(evidence: &Evidence) -> Result<([usize; 2], [f32; 2]), Gap> {
    let row = evidence.visible_row(Need::Weights)?;
    let first = one_largest(row)?;
    let mut rest = row.to_vec();
    rest[first] = f32::NEG_INFINITY;
    let second = one_largest(&rest)?;
    match row[first] < MOST {
        true => Ok(([first, second], [row[first], row[second]])),
        false => Err(Gap::Sentence),
    }
}
