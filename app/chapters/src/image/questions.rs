//! Questions about SAGAN's layer, asked of the tokens on screen: what a kernel does not see, and what `γ` does.

use attention_trace::{AttentionLayer, Edit};

use crate::{
    kit::{
        derivation::find_error,
        evidence::{Evidence, Gap, Need},
        questions::{
            Asked,
            changes::{heads_of_layer, weighed},
        },
        trial::{Measure, Trial, reason, step_words},
    },
    norms::questions::{attention_added, rounded},
};
use attention_core::{
    state::HeadChoice,
    widgets::{
        Expected,
        numbers::{decimal, share_of_one},
    },
};

type Answer = Result<Asked, Gap>;

/// The factor `γ` in both forms.
const GAMMAS: [f32; 2] = [0.5, 2.0];
/// The reach of a kernel of three.
const NEXT: usize = 1;
/// A smaller share of all weights is little.
const LITTLE: f32 = 0.5;
/// A vector that moves by a larger share is another one.
const CHANGED: f32 = 0.1;

/// Asks for a component of `x + γ·o`.
pub fn with_gamma(evidence: &Evidence) -> Answer {
    let (gamma, [x, o]) = (gamma(evidence), component(evidence)?);
    Ok(Asked {
        expected: Expected::Number {
            right: (x + gamma * o).into(),
            tolerance: 0.006,
        },
        values: vec![
            ("gamma", decimal(gamma, 1)),
            ("x", decimal(x, 3)),
            ("o", decimal(o, 3)),
        ],
    })
}

/// Asks for the weight that the layer's heads, on average, give to keys outside of a kernel of three around the query.
pub fn far_weight(evidence: &Evidence) -> Answer {
    let [own, other] = far(evidence)?;
    Ok(Asked {
        expected: Expected::about((own + other) / 2.0, 0.04),
        values: vec![
            ("own_far", share_of_one(own, 3)),
            ("other_far", share_of_one(other, 3)),
        ],
    })
}

/// Attention of the stack's first and last layer, without effect and twice as strong.
pub fn gammas(evidence: &Evidence) -> Result<Trial, Gap> {
    let layers = evidence.facts.stack.layers;
    if layers < 2 {
        return Err(Gap::Model);
    }
    let first = if evidence.is_first_form() { 0 } else { 1 };
    let first = first.min(layers - 2);
    let mut values = step_words(evidence)?;
    values.extend([
        ("low", (first + 1).to_string()),
        ("high", layers.to_string()),
    ]);
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![
            multiplied(evidence, first, 0.0),
            multiplied(evidence, first, 2.0),
            multiplied(evidence, layers - 1, 0.0),
            multiplied(evidence, layers - 1, 2.0),
        ],
        values,
    })
}

/// Asks which `γ` moves the probability of the step's token most.
pub fn gamma_moves(evidence: &Evidence) -> Answer {
    gammas(evidence)?.moves_most(evidence)
}

/// Asks how many of these factors make the step's token more probable.
pub fn gamma_raises(evidence: &Evidence) -> Answer {
    gammas(evidence)?.raises(evidence)
}

/// The layer's heads with the query's weights kept within a kernel of three.
pub fn kept_near(evidence: &Evidence) -> Result<Trial, Gap> {
    let facts = &evidence.facts;
    let (query, seen) = (facts.query, facts.seen(facts.query));
    let weights = evidence.matrix(Need::LayerWeights)?;
    let near = |head: HeadChoice| {
        let row = weights.row(&[head.head]).ok_or(Gap::Loading)?;
        let weight = |key: usize| match key.abs_diff(query) <= NEXT {
            // A row with nothing near is even there.
            true => row.get(key).copied().unwrap_or(0.0) + f32::EPSILON,
            false => 0.0,
        };
        Ok(weighed(evidence, head, query, weight))
    };
    let edits: Result<Vec<Edit>, Gap> = heads_of_layer(evidence).map(near).collect();
    match seen.end > query + NEXT || seen.start + NEXT < query {
        true => Ok(Trial {
            measure: Measure::output(evidence),
            changes: vec![edits?],
            values: vec![("layer", (facts.head.attention.layer + 1).to_string())],
        }),
        false => Err(Gap::Sentence),
    }
}

/// Asks why the query's vector changes, or hardly changes, if the layer is kept from looking beyond a kernel.
pub fn near_is_enough(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let (query, seen) = (facts.query, facts.seen(facts.query));
    let weights = evidence.matrix(Need::LayerWeights)?;
    let mut sum = 0.0;
    for head in 0..facts.stack.heads {
        let row = weights.row(&[head]).ok_or(Gap::Loading)?;
        let beyond = seen.clone().filter(|key| key.abs_diff(query) > NEXT);
        sum += beyond.filter_map(|key| row.get(key)).sum::<f32>();
    }
    let far = sum / facts.stack.heads.max(1) as f32;
    let trial = kept_near(evidence)?;
    let effects = trial.effects(evidence)?;
    let right = match (effects[0] > CHANGED, far < LITTLE) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let mut values = trial.words(&effects);
    values.push(("far", share_of_one(far, 2)));
    Ok(Asked {
        expected: reason(right),
        values,
    })
}

/// Asks for the wrong step of adding what was read.
pub fn wrong_of_gamma(evidence: &Evidence) -> Answer {
    let (gamma, [x, o]) = (gamma(evidence), component(evidence)?);
    find_error(evidence, |derivation| {
        let part = derivation.number(gamma * o, gamma + o);
        let sum = derivation.number(x + part, x * part);
        let zero = derivation.words(decimal(x, 3), decimal(0.0, 3));
        let doubled = derivation.number(2.0 * part, part * part);
        Ok(vec![
            ("gamma", decimal(gamma, 1)),
            ("twice", decimal(2.0 * gamma, 1)),
            ("x", decimal(x, 3)),
            ("o", decimal(o, 3)),
            ("part", decimal(part, 3)),
            ("sum", decimal(sum, 3)),
            ("zero", zero),
            ("doubled", decimal(doubled, 3)),
        ])
    })
}

/// The output of a layer's attention, multiplied in all heads.
fn multiplied(evidence: &Evidence, layer: usize, factor: f32) -> Vec<Edit> {
    let scale = |head: HeadChoice| Edit::ScaleHead {
        attention: AttentionLayer {
            layer,
            ..head.attention
        },
        head: head.head,
        factor,
    };
    heads_of_layer(evidence).map(scale).collect()
}

/// The weights that the head in sight and the next one give to keys beyond the query's neighbours.
fn far(evidence: &Evidence) -> Result<[f32; 2], Gap> {
    let query = evidence.facts.query;
    let rows = [Need::Weights, Need::OtherWeights].map(|need| evidence.visible_row(need));
    let beyond = |row: &[f32]| {
        let keys = (0..row.len()).filter(|key| key.abs_diff(query) > NEXT);
        match keys.clone().count() {
            0 => Err(Gap::Sentence),
            _ => Ok(keys.map(|key| row[key]).sum::<f32>()),
        }
    };
    let [own, other] = rows;
    Ok([beyond(own?)?, beyond(other?)?])
}

/// The first component of the query's stream and of what attention adds, the second one in the other form.
fn component(evidence: &Evidence) -> Result<[f32; 2], Gap> {
    let place = usize::from(!evidence.is_first_form());
    let [before, added, _] = attention_added(evidence)?;
    let of = |vector: Vec<f32>| vector.get(place).copied().ok_or(Gap::Model);
    Ok([rounded(of(before)?), rounded(of(added)?)])
}

fn gamma(evidence: &Evidence) -> f32 {
    GAMMAS[usize::from(!evidence.is_first_form())]
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
    fn gamma_multiplies_what_is_added() {
        let mut evidence = evidence(false, &[]);
        for (need, first) in [(Need::Stream, 0.7), (Need::AttentionOut, 0.2)] {
            let data = vec![first, 9.0];
            let shape = vec![1, 2];
            evidence.add(need.excerpt(&evidence).unwrap(), Array { shape, data });
        }
        // 0.5 + 0.5 · 0.2.
        assert_eq!(met(with_gamma(&evidence), "0.6"), Some(true));
    }

    #[test]
    fn neighbours_are_not_far() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.1, 0.3, 0.6];
        let needs: [(Need, &[f32]); 2] = [(Need::Weights, &rows), (Need::OtherWeights, &rows)];
        let mut evidence = evidence(false, &needs);
        assert_eq!(far_weight(&evidence), Err(Gap::Sentence));
        evidence.facts.query = 2;
        assert_eq!(met(far_weight(&evidence), "0.1"), Some(true));
    }

    #[test]
    fn gamma_is_a_factor_of_every_head() {
        let evidence = evidence_of(&[0.5]);
        let trial = gammas(&evidence).unwrap();
        assert_eq!(trial.changes[3].len(), evidence.facts.stack.heads);
        assert!(trial.excerpts(&evidence).is_ok());
    }
}
