//! Questions about a token's stream, its norm, and what sub-layers add to it.

use attention_trace::{Block, Quantity, Sublayer};

use attention_core::widgets::{Expected, numbers::decimal};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{Asked, changes::silent},
    trial::{Measure, Trial, choice, step_words},
};

type Answer = Result<Asked, Gap>;

/// The components that are normalised by hand.
const FOUR: usize = 4;

/// Asks what LayerNorm makes of a component of the query's stream.
pub fn normed(evidence: &Evidence) -> Answer {
    let stream = evidence.vector(Need::Stream)?;
    let place = if evidence.is_first_form() { 0 } else { 1 };
    let value = *stream.get(place).ok_or(Gap::Model)?;
    let (mean, deviation) = moments(stream);
    let [value, mean, deviation] = [value, mean, deviation].map(rounded);
    if deviation < 0.1 {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about((value - mean) / deviation, 0.03),
        values: vec![
            ("component", (place + 1).to_string()),
            ("value", decimal(value, 3)),
            ("mean", decimal(mean, 3)),
            ("deviation", decimal(deviation, 3)),
        ],
    })
}

/// Asks for the cosine of a token's stream and what attention adds, from three lengths.
pub fn added_angle(evidence: &Evidence) -> Answer {
    let [before, added, after] = attention_added(evidence)?;
    let [a, b, c] = [&before, &added, &after].map(|vector| rounded(length(vector)));
    if a < 0.1 || b < 0.1 {
        return Err(Gap::Sentence);
    }
    let cosine = (c * c - a * a - b * b) / (2.0 * a * b);
    Ok(Asked {
        expected: Expected::Number {
            right: cosine.into(),
            tolerance: 0.03,
        },
        values: vec![
            ("before", decimal(a, 3)),
            ("added", decimal(b, 3)),
            ("after", decimal(c, 3)),
        ],
    })
}

/// Attention and feed-forward network of the first and the last layer, each adding nothing.
pub fn sublayers_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let facts = &evidence.facts;
    let (stack, layers) = (facts.head.attention.kind.stack(), facts.stack.layers);
    if layers < 2 {
        return Err(Gap::Model);
    }
    let first = if evidence.is_first_form() {
        0
    } else {
        1.min(layers - 2)
    };
    let off = |layer, sublayer| vec![silent(evidence, Block::Sublayer(stack, layer, sublayer))];
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![
            off(first, Sublayer::SelfAttention),
            off(first, Sublayer::FeedForward),
            off(layers - 1, Sublayer::SelfAttention),
            off(layers - 1, Sublayer::FeedForward),
        ],
        values: vec![
            ("low", (first + 1).to_string()),
            ("high", layers.to_string()),
        ],
    })
}

/// Asks which sub-layer, silenced, moves the query's final vector most.
pub fn sublayer_off(evidence: &Evidence) -> Answer {
    sublayers_off(evidence)?.moves_most(evidence)
}

/// The same changes, and what becomes of the probability of the step's token.
pub fn sublayers_for_step(evidence: &Evidence) -> Result<Trial, Gap> {
    let trial = sublayers_off(evidence)?;
    let mut values = step_words(evidence)?;
    values.extend(trial.values);
    Ok(Trial {
        measure: Measure::LogProbability,
        values,
        ..trial
    })
}

/// Asks after how many of these changes another token is the most probable one.
pub fn sublayer_off_changes(evidence: &Evidence) -> Answer {
    sublayers_for_step(evidence)?.changes_token(evidence)
}

/// The two sub-layers of the layer in sight, each adding nothing.
pub fn layer_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let attention = evidence.facts.head.attention;
    let off = |block| vec![silent(evidence, block)];
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![off(attention.block()), off(attention.feed_forward())],
        values: vec![("layer", (attention.layer + 1).to_string())],
    })
}

/// Asks why one of a layer's two sub-layers matters more to the query's final vector.
pub fn length_and_effect(evidence: &Evidence) -> Answer {
    let trial = layer_off(evidence)?;
    let effects = trial.effects(evidence)?;
    let attention = length(evidence.vector(Need::AttentionOut)?);
    let feed_forward = length(evidence.vector(Need::FeedForwardOut)?);
    let [one, two] = effects[..] else {
        return Err(Gap::Loading);
    };
    crate::kit::trial::clearly_largest(&effects)?;
    let right = match (attention > feed_forward, one > two) {
        (true, true) => 0,
        (false, false) => 1,
        (true, false) => 2,
        (false, true) => 3,
    };
    let mut values = trial.words(&effects);
    values.extend([
        ("attention", decimal(attention, 2)),
        ("feed_forward", decimal(feed_forward, 2)),
    ]);
    Ok(Asked {
        expected: choice(right),
        values,
    })
}

/// Asks for the wrong step of normalising four components by hand.
pub fn wrong_of_norm(evidence: &Evidence) -> Answer {
    let stream = evidence.vector(Need::Stream)?;
    let first = if evidence.is_first_form() { 0 } else { FOUR };
    let part = stream.get(first..first + FOUR).ok_or(Gap::Model)?;
    let part: Vec<f32> = part.iter().map(|&value| rounded(value)).collect();
    let count = FOUR as f32;
    let sum: f32 = part.iter().sum();
    let squares: f32 = part.iter().map(|value| value * value).sum::<f32>() / count;
    find_error(evidence, |derivation| {
        let mean = derivation.number(sum / count, sum / (count - 1.0));
        let variance = part.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        let variance = derivation.number(variance, squares);
        let deviation = derivation.number(variance.sqrt(), variance);
        let normed = derivation.number((part[0] - mean) / deviation, part[0] / deviation);
        let written = part.iter().map(|&value| decimal(value, 3));
        Ok(vec![
            ("numbers", written.collect::<Vec<_>>().join(", ")),
            ("value", decimal(part[0], 3)),
            ("mean", decimal(mean, 3)),
            ("variance", decimal(variance, 3)),
            ("deviation", decimal(deviation, 3)),
            ("normed", decimal(normed, 3)),
        ])
    })
}

/// Returns the query's stream before attention, what attention adds, and the sum.
pub fn attention_added(evidence: &Evidence) -> Result<[Vec<f32>; 3], Gap> {
    let facts = &evidence.facts;
    // What is added is normalised first.
    if facts.spec.has(facts.head.attention.at(Quantity::OutNorm)) {
        return Err(Gap::Model);
    }
    let after = evidence.vector(Need::Stream)?;
    let added = evidence.vector(Need::AttentionOut)?;
    let before = after.iter().zip(added).map(|(sum, part)| sum - part);
    Ok([before.collect(), added.to_vec(), after.to_vec()])
}

/// Mean and standard deviation of a vector's components.
fn moments(vector: &[f32]) -> (f32, f32) {
    let count = vector.len().max(1) as f32;
    let mean = vector.iter().sum::<f32>() / count;
    let variance = vector
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f32>()
        / count;
    (mean, variance.sqrt())
}

/// The number as it is written in the question.
pub fn rounded(value: f32) -> f32 {
    (value * 1000.0).round() / 1000.0
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}
