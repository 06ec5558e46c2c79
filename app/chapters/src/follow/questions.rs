//! Questions about one head, from its scores to its output.

use attention_trace::{Edit, total_variation};

use attention_core::widgets::numbers::{decimal, share_of_one};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{four_heads, named, quoted},
        one_largest,
    },
    trial::{Measure, Trial, reason, step_words},
};

type Answer = Result<Asked, Gap>;

/// Weights of which a smaller share moves are nearly uniform.
const NEARLY: f32 = 0.5;
/// A vector that changes by a larger share is another one.
const CHANGED: f32 = 0.15;

/// Four heads of the layer, each switched off.
pub fn heads_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let heads = four_heads(evidence)?;
    let mut values = step_words(evidence)?;
    values.extend(named(heads.map(|head| (head.head + 1).to_string())));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: heads.map(|head| vec![head.switched_off()]).to_vec(),
        values,
    })
}

/// Asks which head, switched off, moves the probability of the step's token most.
pub fn head_off(evidence: &Evidence) -> Answer {
    heads_off(evidence)?.moves_most(evidence)
}

/// Asks how many of these heads, switched off, leave the step's token more probable.
pub fn head_off_raises(evidence: &Evidence) -> Answer {
    heads_off(evidence)?.raises(evidence)
}

/// The head with uniform weights.
pub fn made_uniform(evidence: &Evidence) -> Result<Trial, Gap> {
    let head = evidence.facts.head;
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![vec![Edit::Uniform {
            attention: head.attention,
            head: Some(head.head),
        }]],
        values: vec![],
    })
}

/// Asks why the query's final vector changes, or hardly changes, if the head's weights are made uniform.
pub fn uniform_effect(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let uniform = vec![1.0 / row.len() as f32; row.len()];
    let moved = total_variation(row, &uniform);
    let trial = made_uniform(evidence)?;
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

/// Asks for the wrong step between two products and the ratio of their weights.
pub fn wrong_of_ratio(evidence: &Evidence) -> Answer {
    if !evidence.facts.divides_by_root() || evidence.facts.spec.positions.encoding.biases_scores() {
        return Err(Gap::Model);
    }
    let products = evidence.visible_row(Need::Scores)?;
    let first = one_largest(products)?;
    let mut rest = products.to_vec();
    rest[first] = f32::NEG_INFINITY;
    let second = one_largest(&rest)?;
    let root = (evidence.facts.stack.head_width as f32).sqrt();
    find_error(evidence, |derivation| {
        let one = derivation.number(products[first] / root, products[first] / (root * root));
        let two = derivation.number(products[second] / root, products[second] * root);
        let apart = derivation.number(one - two, one + two);
        let ratio = derivation.number(apart.exp(), 1.0 + apart);
        Ok(vec![
            ("first", quoted(evidence, first)),
            ("second", quoted(evidence, second)),
            ("first_product", decimal(products[first], 3)),
            ("second_product", decimal(products[second], 3)),
            ("one", decimal(one, 3)),
            ("two", decimal(two, 3)),
            ("apart", decimal(apart, 3)),
            ("ratio", decimal(ratio, 3)),
        ])
    })
}
