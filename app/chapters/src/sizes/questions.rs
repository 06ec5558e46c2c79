//! Questions about the numbers of parameters and operations, and about what many parameters do for a sentence.

use attention_trace::{AttentionLayer, Edit};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap},
    questions::{Asked, changes::silent},
    trial::{Measure, Trial, step_words},
};
use attention_core::widgets::{Expected, numbers::grouped};

type Answer = Result<Asked, Gap>;

/// The tokens by which the text is longer in the other form.
const LONGER: usize = 5;

/// Asks for the number of weights in the maps of all heads of the stack, in the other form of a longer text.
pub fn map_weights(evidence: &Evidence) -> Answer {
    let (stack, n) = (&evidence.facts.stack, tokens(evidence));
    Ok(Asked {
        expected: Expected::count(stack.layers * stack.heads * n * n),
        values: vec![
            ("count", n.to_string()),
            ("layers", stack.layers.to_string()),
            ("heads", stack.heads.to_string()),
        ],
    })
}

/// Asks for the multiplications of a layer's feed-forward network for the whole text, in the other form of a longer one.
pub fn feed_forward_products(evidence: &Evidence) -> Answer {
    let (matrices, inner) = feed_forward(evidence)?;
    let n = tokens(evidence);
    Ok(Asked {
        expected: Expected::count(n * feed_forward_weights(evidence)?),
        values: vec![
            ("count", n.to_string()),
            ("matrices", matrices.to_string()),
            ("inner", grouped(inner as u64)),
        ],
    })
}

/// The head in sight, its layer's attention and feed-forward network, and another layer's feed-forward network, each
/// adding nothing.
pub fn parts_pruned(evidence: &Evidence) -> Result<Trial, Gap> {
    let facts = &evidence.facts;
    let (own, layers) = (facts.head.attention, facts.stack.layers);
    if layers < 2 {
        return Err(Gap::Model);
    }
    let other = AttentionLayer {
        layer: (own.layer + 1) % layers,
        ..own
    };
    let attention = attention_weights(evidence);
    let feed_forward = grouped(feed_forward_weights(evidence)? as u64);
    let mut values = step_words(evidence)?;
    values.extend([
        ("a", grouped((attention / facts.stack.heads.max(1)) as u64)),
        ("b", grouped(attention as u64)),
        ("c", feed_forward.clone()),
        ("d", feed_forward),
        ("layer", (own.layer + 1).to_string()),
        ("next", (other.layer + 1).to_string()),
    ]);
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![
            vec![facts.head.switched_off()],
            vec![silent(evidence, own.block())],
            vec![silent(evidence, own.feed_forward())],
            vec![silent(evidence, other.feed_forward())],
        ],
        values,
    })
}

/// Asks which of these parts moves the probability of the step's token most.
pub fn part_pruned(evidence: &Evidence) -> Answer {
    parts_pruned(evidence)?.moves_most(evidence)
}

/// Asks after how many of these changes another token is the most probable one.
pub fn part_pruned_changes(evidence: &Evidence) -> Answer {
    parts_pruned(evidence)?.changes_token(evidence)
}

/// The feed-forward network and the attention of the layer in sight, each adding nothing.
pub fn two_sizes(evidence: &Evidence) -> Result<Trial, Gap> {
    let attention = evidence.facts.head.attention;
    let edits: [Edit; 2] =
        [attention.feed_forward(), attention.block()].map(|block| silent(evidence, block));
    let mut values = step_words(evidence)?;
    values.extend([
        ("layer", (attention.layer + 1).to_string()),
        ("large", grouped(feed_forward_weights(evidence)? as u64)),
        ("small", grouped(attention_weights(evidence) as u64)),
    ]);
    if feed_forward_weights(evidence)? <= attention_weights(evidence) {
        return Err(Gap::Model);
    }
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: edits.map(|edit| vec![edit]).to_vec(),
        values,
    })
}

/// Asks whether the part with more parameters matters more, and why.
pub fn size_and_effect(evidence: &Evidence) -> Answer {
    two_sizes(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong one of four numbers of parameters and weights.
pub fn wrong_of_sizes(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let (matrices, inner) = feed_forward(evidence)?;
    let (n, width, attention) = (
        tokens(evidence),
        facts.spec.width,
        attention_weights(evidence),
    );
    // The vectors of patches are in no table.
    if facts.spec.reads_pictures() {
        return Err(Gap::Model);
    }
    let vocabulary = facts.spec.vocabulary;
    find_error(evidence, |derivation| {
        let written = |number: usize| grouped(number as u64);
        let of_attention = derivation.words(
            written(attention),
            written(attention / facts.stack.heads.max(1)),
        );
        let of_feed_forward = derivation.words(
            written(matrices * width * inner),
            written(matrices * (width + inner)),
        );
        let table = derivation.words(written(vocabulary * width), written(n * width));
        let map = derivation.words(written(n * n), written(n * facts.stack.head_width));
        Ok(vec![
            ("count", n.to_string()),
            ("matrices", matrices.to_string()),
            ("inner", written(inner)),
            ("vocabulary", written(vocabulary)),
            ("of_attention", of_attention),
            ("of_feed_forward", of_feed_forward),
            ("table", table),
            ("map", map),
        ])
    })
}

/// The number of tokens in sight, and more in the other form.
fn tokens(evidence: &Evidence) -> usize {
    let longer = if evidence.is_first_form() { 0 } else { LONGER };
    evidence.facts.names.len() + longer
}

/// Weights of a layer's four matrices of self-attention.
fn attention_weights(evidence: &Evidence) -> usize {
    let facts = &evidence.facts;
    let heads = 2 * facts.stack.heads + 2 * facts.stack.key_value_heads;
    facts.spec.width * facts.stack.head_width * heads
}

fn feed_forward_weights(evidence: &Evidence) -> Result<usize, Gap> {
    let (matrices, inner) = feed_forward(evidence)?;
    Ok(matrices * evidence.facts.spec.width * inner)
}

/// The number of matrices of a layer's feed-forward network, and its width inside.
fn feed_forward(evidence: &Evidence) -> Result<(usize, usize), Gap> {
    let feed_forward = evidence.facts.stack.feed_forward.ok_or(Gap::Model)?;
    let matrices = if feed_forward.gated { 3 } else { 2 };
    Ok((matrices, feed_forward.width))
}

#[cfg(test)]
mod tests {
    use attention_core::state::Sitting;

    use super::*;
    use crate::kit::questions::tests::{evidence_of, met};

    fn translator() -> Evidence {
        let mut translator = evidence_of(&[0.5]);
        let facts = &mut translator.facts;
        (facts.spec.width, facts.spec.vocabulary) = (256, 8_000);
        (
            facts.stack.heads,
            facts.stack.key_value_heads,
            facts.stack.head_width,
        ) = (8, 8, 32);
        facts.stack.layers = 3;
        facts.stack.feed_forward.as_mut().unwrap().width = 1024;
        translator
    }

    #[test]
    fn the_translators_sizes() {
        let mut translator = translator();
        // Three tokens: 3 · 8 · 3².
        assert_eq!(met(map_weights(&translator), "216"), Some(true));
        assert_eq!(
            met(feed_forward_products(&translator), "1,572,864"),
            Some(true)
        );
        assert_eq!(attention_weights(&translator), 262_144);
        translator.sitting = Sitting::After;
        // Eight tokens.
        assert_eq!(met(map_weights(&translator), "1536"), Some(true));
    }

    #[test]
    fn parts_are_of_the_layer_in_sight_and_the_next_one() {
        let trial = parts_pruned(&translator()).unwrap();
        assert_eq!(trial.values[2], ("a", "32,768".to_owned()));
        assert_eq!(trial.values[4], ("c", "524,288".to_owned()));
        assert_eq!(trial.values[7], ("next", "2".to_owned()));
    }
}
