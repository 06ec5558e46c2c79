//! Questions about keys and values that are kept, averaged, and read in blocks.

use attention_trace::{AttentionKind, AttentionLayer, Edit};

use attention_core::widgets::{Expected, numbers::decimal};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{named, quoted},
        one_largest,
    },
    trial::{Measure, Trial, step_words},
};

type Answer = Result<Asked, Gap>;

/// The smallest second weight whose ratio can be computed with.
const LEAST: f32 = 0.005;

/// Asks for the numbers that a cache keeps of the sentence, in the other form of two tokens more.
pub fn kept_numbers(evidence: &Evidence) -> Answer {
    let spec = &evidence.facts.spec;
    let stack = spec.cached_stack().ok_or(Gap::Model)?;
    let tokens = longer(evidence);
    Ok(Asked {
        expected: Expected::count(tokens * stack.kept_numbers(stack.key_value_heads)),
        values: vec![
            ("tokens", tokens.to_string()),
            ("layers", stack.layers.to_string()),
            ("heads", stack.key_value_heads.to_string()),
            ("width", stack.head_width.to_string()),
        ],
    })
}

/// Asks for the scores of a head that decoding computes without a cache.
pub fn scores_without(evidence: &Evidence) -> Answer {
    let tokens = longer(evidence);
    Ok(Asked {
        expected: Expected::count(tokens * (tokens + 1) * (tokens + 2) / 6),
        values: vec![
            ("tokens", tokens.to_string()),
            ("once", (tokens * (tokens + 1) / 2).to_string()),
        ],
    })
}

fn longer(evidence: &Evidence) -> usize {
    let longer = if evidence.is_first_form() { 0 } else { 2 };
    evidence.facts.names.len() + longer
}

/// Averages keys and values of an attention to one head.
fn averaged(attention: AttentionLayer) -> Vec<Edit> {
    vec![Edit::GroupKeyValues {
        attention,
        groups: 1,
    }]
}

/// All attentions whose keys can be averaged, in the order of the layers.
fn attentions(evidence: &Evidence) -> Result<Vec<AttentionLayer>, Gap> {
    let spec = &evidence.facts.spec;
    let kinds = AttentionKind::ALL.into_iter();
    let of = |kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer });
    let all: Vec<AttentionLayer> = kinds.flat_map(of).collect();
    let can = |attention: &AttentionLayer| {
        let [edit] = &averaged(*attention)[..] else {
            return false;
        };
        edit.fault(spec).is_none() && !edit.changes_nothing(spec)
    };
    match all.iter().all(can) && all.len() >= 4 {
        true => Ok(all),
        false => Err(Gap::Model),
    }
}

/// Four attentions, each with one key and value for all heads.
pub fn averaged_layers(evidence: &Evidence) -> Result<Trial, Gap> {
    let all = attentions(evidence)?;
    let shift = usize::from(!evidence.is_first_form());
    let chosen = [0, 1, 2, 3].map(|index| all[(index * all.len() / 4 + shift) % all.len()]);
    let mut values = step_words(evidence)?;
    values.extend(named(chosen.map(|attention| attention.block().to_string())));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: chosen.map(averaged).to_vec(),
        values,
    })
}

/// Asks which attention with one key and value moves `log p` most.
pub fn averaged_layer(evidence: &Evidence) -> Answer {
    averaged_layers(evidence)?.moves_most(evidence)
}

/// Asks how many of these attentions, averaged, make the step's token more probable.
pub fn averaged_layer_raises(evidence: &Evidence) -> Answer {
    averaged_layers(evidence)?.raises(evidence)
}

/// The first and the last self-attention of the stack that writes, each with one key and value for all heads.
pub fn first_and_last(evidence: &Evidence) -> Result<Trial, Gap> {
    attentions(evidence)?;
    let layers = evidence.facts.spec.layers(AttentionKind::DecoderSelf);
    let at = |layer| AttentionLayer {
        kind: AttentionKind::DecoderSelf,
        layer,
    };
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: [0, layers.saturating_sub(1)].map(at).map(averaged).to_vec(),
        values: step_words(evidence)?,
    })
}

/// Asks why averaging early or late moves `log p` more, or why neither does.
pub fn early_or_late(evidence: &Evidence) -> Answer {
    first_and_last(evidence)?.tells_reason(evidence, |largest| largest)
}

/// Asks for the wrong step of a softmax over two blocks.
pub fn wrong_of_blocks(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::Weights)?;
    let first = one_largest(row)?;
    let mut rest = row.to_vec();
    rest[first] = f32::NEG_INFINITY;
    let second = one_largest(&rest)?;
    let (most, less) = (row[first], row[second]);
    if less < LEAST {
        return Err(Gap::Sentence);
    }
    find_error(evidence, |derivation| {
        let apart = derivation.number((most / less).ln(), most - less);
        let sum = derivation.number(1.0, less);
        let factor = derivation.number((-apart).exp(), apart.exp());
        let both = derivation.number(factor * sum + 1.0, sum + 1.0);
        Ok(vec![
            ("first", quoted(evidence, first)),
            ("second", quoted(evidence, second)),
            ("most", decimal(most, 3)),
            ("less", decimal(less, 3)),
            ("apart", decimal(apart, 3)),
            ("sum", decimal(sum, 3)),
            ("factor", decimal(factor, 3)),
            ("both", decimal(both, 3)),
        ])
    })
}
