//! Questions about the size of scores and the sharpness of their softmax.

use attention_trace::Edit;

use attention_core::{
    state::HeadChoice,
    widgets::{
        Expected,
        numbers::{decimal, share_of_one},
    },
};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{heads_of_layer, weighed},
        softmax, top,
    },
    trial::{Measure, Trial, choice, clearly_largest, reason, sizes},
};

type Answer = Result<Asked, Gap>;

/// The least weight with enough digits for a ratio.
const LEAST: f32 = 0.01;
/// A gradient of which a smaller share is left has fallen.
const FALLEN: f32 = 0.25;

/// Asks for the deviation of the query's scores after they are divided.
pub fn row_deviation(evidence: &Evidence) -> Answer {
    divides(evidence)?;
    let before = deviation(evidence.visible_row(Need::Scores)?)?;
    Ok(Asked {
        expected: Expected::about(before / root(evidence), 0.02),
        values: vec![("before", decimal(before, 2))],
    })
}

/// Asks for the ratio of the two largest weights if all scores are halved.
pub fn halved_ratio(evidence: &Evidence) -> Answer {
    let mut row = evidence.visible_row(Need::Weights)?.to_vec();
    row.sort_by(|one, other| other.total_cmp(one));
    match row[..] {
        [first, second, ..] if second >= LEAST => Ok(Asked {
            expected: Expected::about((first / second).sqrt(), 0.04),
            values: vec![
                ("first", share_of_one(first, 3)),
                ("second", share_of_one(second, 3)),
                ("ratio", decimal(first / second, 2)),
            ],
        }),
        _ => Err(Gap::Sentence),
    }
}

/// Asks which of four changes of the scores moves the largest weight most.
pub fn sharper_by(evidence: &Evidence) -> Answer {
    divides(evidence)?;
    let row = evidence.visible_row(Need::Weights)?;
    let logits: Vec<f32> = row
        .iter()
        .map(|weight| weight.max(f32::MIN_POSITIVE).ln())
        .collect();
    let first = crate::kit::questions::one_largest(row)?;
    let without = |key: Option<usize>| {
        let mut logits = logits.clone();
        if let Some(logit) = key.and_then(|key| logits.get_mut(key)) {
            *logit = f32::NEG_INFINITY;
        }
        logits
    };
    let second = {
        let mut rest = row.to_vec();
        rest[first] = f32::NEG_INFINITY;
        crate::kit::questions::largest(&rest).first().copied()
    };
    let times = |factor: f32| {
        logits
            .iter()
            .map(|logit| factor * logit)
            .collect::<Vec<_>>()
    };
    let added: Vec<f32> = logits.iter().map(|logit| logit + 10.0).collect();
    let tops = [
        top(&softmax(&times(root(evidence)))),
        top(&softmax(&times(1.0 / root(evidence)))),
        top(&softmax(&added)),
        top(&softmax(&without(second))),
    ];
    let before = top(row);
    let moved = tops.map(|top| top - before);
    let [a, b, c, d] = tops.map(|top| share_of_one(top, 3));
    Ok(Asked {
        expected: choice(clearly_largest(&sizes(&moved))?),
        values: vec![
            ("weight", share_of_one(before, 3)),
            ("effect_a", a),
            ("effect_b", b),
            ("effect_c", c),
            ("effect_d", d),
        ],
    })
}

/// The query's scores multiplied in all heads of the layer, by four factors.
pub fn scaled_scores(evidence: &Evidence) -> Result<Trial, Gap> {
    divides(evidence)?;
    let facts = &evidence.facts;
    let weights = evidence.matrix(Need::LayerWeights)?;
    let by = |factor: f32| -> Result<Vec<Edit>, Gap> {
        let scaled = |head: HeadChoice| {
            let row = weights.row(&[head.head]).ok_or(Gap::Loading)?;
            let most = top(row);
            // A factor of the score is an exponent of its power.
            let weight = |key: usize| row.get(key).map_or(0.0, |own| (own / most).powf(factor));
            Ok(weighed(evidence, head, facts.query, weight))
        };
        heads_of_layer(evidence).map(scaled).collect()
    };
    let factors = match evidence.is_first_form() {
        true => [2.0, 0.5],
        false => [3.0, 0.3],
    };
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![
            by(root(evidence))?,
            by(1.0 / root(evidence))?,
            by(factors[0])?,
            by(factors[1])?,
        ],
        values: vec![
            ("layer", (facts.head.attention.layer + 1).to_string()),
            ("more", decimal(factors[0], 1)),
            ("less", decimal(factors[1], 1)),
        ],
    })
}

/// Asks which factor of the scores moves the query's final vector most.
pub fn scaled_score(evidence: &Evidence) -> Answer {
    scaled_scores(evidence)?.moves_most(evidence)
}

/// Asks why the gradient of the largest weight changes if scores are not divided.
pub fn saturated(evidence: &Evidence) -> Answer {
    divides(evidence)?;
    let row = evidence.visible_row(Need::Weights)?;
    let scaled = evidence.visible_row(Need::ScaledScores)?;
    let scores = evidence.visible_row(Need::Scores)?;
    let logits = row.iter().zip(scaled.iter().zip(scores));
    let logits =
        logits.map(|(weight, (scaled, score))| weight.max(f32::MIN_POSITIVE).ln() + score - scaled);
    let unscaled = top(&softmax(&logits.collect::<Vec<_>>()));
    let before = top(row);
    let gradient = |weight: f32| weight * (1.0 - weight);
    let [own, other] = [before, unscaled].map(gradient);
    let right = match other / own.max(f32::MIN_POSITIVE) {
        kept if kept < FALLEN => 0,
        kept if kept > 1.0 => 1,
        _ => 2,
    };
    Ok(Asked {
        expected: reason(right),
        values: vec![
            ("weight", share_of_one(before, 3)),
            ("unscaled", share_of_one(unscaled, 3)),
            ("own_gradient", decimal(own, 4)),
            ("other_gradient", decimal(other, 4)),
        ],
    })
}

/// Asks for the wrong step between the query's scores and the ratio of its weights.
pub fn wrong_of_spread(evidence: &Evidence) -> Answer {
    divides(evidence)?;
    let scores = evidence.visible_row(Need::Scores)?;
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let least = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let root = root(evidence);
    let spread = deviation(scores)?;
    find_error(evidence, |derivation| {
        let apart = derivation.number(most - least, most + least);
        let own = derivation.number(spread, spread * spread);
        let divided = derivation.number(apart / root, apart / (root * root));
        let ratio = derivation.number(divided.exp(), divided.exp2());
        Ok(vec![
            ("most", decimal(most, 3)),
            ("least", decimal(least, 3)),
            ("apart", decimal(apart, 3)),
            ("variance", decimal(spread * spread, 3)),
            ("spread", decimal(own, 3)),
            ("divided", decimal(divided, 3)),
            ("ratio", decimal(ratio, 3)),
        ])
    })
}

/// Checks that scores are divided by the root and nothing else is done with them.
fn divides(evidence: &Evidence) -> Result<(), Gap> {
    let facts = &evidence.facts;
    match facts.divides_by_root() && facts.spec.score_cap.is_none() {
        true => Ok(()),
        false => Err(Gap::Model),
    }
}

fn root(evidence: &Evidence) -> f32 {
    (evidence.facts.stack.head_width as f32).sqrt()
}

/// The standard deviation of several values.
fn deviation(values: &[f32]) -> Result<f32, Gap> {
    let count = values.len() as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f32>()
        / count;
    match values.len() > 1 && variance > 0.0 {
        true => Ok(variance.sqrt()),
        false => Err(Gap::Sentence),
    }
}
