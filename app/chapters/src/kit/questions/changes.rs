//! Changes that questions have run: tokens that are hidden, heads that are switched off.

use attention_trace::{
    Array, AttentionKind, AttentionLayer, Block, Edit, Quantity, Stack, Sublayer,
};

use super::decoding::step;
use crate::kit::evidence::{Evidence, Gap};
use attention_core::{state::HeadChoice, widgets::Values};

/// The number of changes that a question offers.
pub const FOUR: usize = 4;
/// The factor of `e^score` of a hidden key: small enough to hide it, and the only key of a query keeps its weight.
const HIDDEN: f32 = 1e-6;
/// The names of the changes in a question's text.
const NAMES: [&str; FOUR] = ["a", "b", "c", "d"];

/// The words of four changes, as `a` to `d`.
pub fn named<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Values {
    let names = names.into_iter().map(Into::into);
    NAMES.into_iter().zip(names).collect()
}

/// The places of the tokens that can act on the step on screen: all that an encoder reads, those up to the step's
/// position in a decoder.
///
/// # Errors
/// [`Gap::Model`] if the model has written nothing.
pub fn acting(evidence: &Evidence) -> Result<usize, Gap> {
    let count = evidence.facts.names.len();
    Ok(match evidence.facts.stack.causal {
        true => count.min(step(evidence)?.row + 1),
        false => count,
    })
}

/// Four of so many places, spread evenly; in the other form others where there are any.
///
/// # Errors
/// [`Gap::Sentence`] if there are fewer than four.
pub fn four_of(evidence: &Evidence, count: usize) -> Result<[usize; FOUR], Gap> {
    if count < FOUR {
        return Err(Gap::Sentence);
    }
    let shift = usize::from(!evidence.is_first_form());
    let place = |index: usize| ((2 * index + 1) * count / (2 * FOUR) + shift) % count;
    Ok([0, 1, 2, 3].map(place))
}

/// A token in quotes, with its place from 1: a text may have it twice.
pub fn quoted(evidence: &Evidence, place: usize) -> String {
    let name = evidence.facts.names.get(place).map_or("", String::as_str);
    format!("“{name}” ({})", place + 1)
}

/// Hides a token of the text in sight from every query in every layer, also from those that read an encoder's output.
pub fn hidden(evidence: &Evidence, key: usize) -> Vec<Edit> {
    let spec = &evidence.facts.spec;
    let kind = evidence.facts.head.attention.kind;
    let kinds = match kind {
        AttentionKind::DecoderSelf => vec![kind],
        kind => vec![kind, AttentionKind::Cross],
    };
    let of = |kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer });
    hidden_in(kinds.into_iter().flat_map(of), key)
}

/// Four heads of the layer in sight, beginning with the head itself; in the other form the others where there are any.
///
/// # Errors
/// [`Gap::Model`] if the layer has fewer than four.
pub fn four_heads(evidence: &Evidence) -> Result<[HeadChoice; FOUR], Gap> {
    let heads = evidence.facts.stack.heads;
    if heads < FOUR {
        return Err(Gap::Model);
    }
    let own = evidence.facts.head;
    let first = match evidence.is_first_form() {
        true => own.head,
        false => own.head + FOUR - 1,
    };
    Ok([0, 1, 2, 3].map(|further| HeadChoice {
        head: (first + further) % heads,
        ..own
    }))
}

/// The numbers of heads, from 1, as words of four changes.
pub fn numbered(heads: &[HeadChoice]) -> Values {
    named(heads.iter().map(|head| (head.head + 1).to_string()))
}

/// Hides a key from every query of all heads of these attentions.
pub fn hidden_in(attentions: impl IntoIterator<Item = AttentionLayer>, key: usize) -> Vec<Edit> {
    let hide = |attention| Edit::ScaleKey {
        attention,
        head: None,
        key,
        factor: HIDDEN,
    };
    attentions.into_iter().map(hide).collect()
}

/// Gives a query of a head weights that are computed from the keys it sees.
pub fn weighed(
    evidence: &Evidence,
    head: HeadChoice,
    query: usize,
    weight: impl Fn(usize) -> f32,
) -> Edit {
    let seen = evidence.facts.seen(query);
    let shares: Vec<f32> = seen.clone().map(weight).collect();
    let sum: f32 = shares.iter().sum();
    let hidden = std::iter::repeat_n(0.0, seen.start);
    Edit::Pattern {
        attention: head.attention,
        head: head.head,
        query,
        weights: hidden
            .chain(shares.iter().map(|share| share / sum))
            .collect(),
    }
}

/// Gives every query of a head the same weight on the keys at most `reach` away, as a convolution with fixed weights does.
pub fn convolved(evidence: &Evidence, head: HeadChoice, reach: usize) -> Vec<Edit> {
    let queries = 0..evidence.facts.names.len();
    let near = |query: usize| move |key: usize| f32::from(u8::from(key.abs_diff(query) <= reach));
    let of = |query| weighed(evidence, head, query, near(query));
    queries.map(of).collect()
}

/// All heads of the layer in sight.
pub fn heads_of_layer(evidence: &Evidence) -> impl Iterator<Item = HeadChoice> {
    let own = evidence.facts.head;
    (0..evidence.facts.stack.heads).map(move |head| HeadChoice { head, ..own })
}

/// A sub-layer that adds nothing at any position up to the step on screen.
pub fn silent(evidence: &Evidence, block: Block) -> Edit {
    let facts = &evidence.facts;
    let written = evidence.step_row().map_or(0, |row| row + 1);
    let (rows, width) = (facts.names.len().max(written), facts.spec.width);
    Edit::Replace {
        site: block.at(Quantity::Out),
        array: Array {
            shape: vec![rows, width],
            data: vec![0.0; rows * width],
        },
    }
}

/// The sub-layers of a stack's layer, in the order of computation.
pub fn sublayers(evidence: &Evidence, stack: Stack, layer: usize) -> Vec<Block> {
    let spec = &evidence.facts.spec;
    let all = [
        Sublayer::SelfAttention,
        Sublayer::CrossAttention,
        Sublayer::FeedForward,
    ];
    let blocks = all.map(|sublayer| Block::Sublayer(stack, layer, sublayer));
    let has = |block: &Block| spec.has(block.at(Quantity::Out));
    blocks.into_iter().filter(has).collect()
}

/// Four attentions of the model, spread evenly over all its layers; in the other form others where there are any.
///
/// # Errors
/// [`Gap::Model`] if it has fewer than four.
pub fn four_attentions(evidence: &Evidence) -> Result<[AttentionLayer; FOUR], Gap> {
    let spec = &evidence.facts.spec;
    let of = |kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer });
    let all: Vec<AttentionLayer> = spec.kinds().into_iter().flat_map(of).collect();
    if all.len() < FOUR {
        return Err(Gap::Model);
    }
    let shift = usize::from(!evidence.is_first_form());
    Ok([0, 1, 2, 3].map(|index| all[(index * all.len() / FOUR + shift) % all.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::evidence::tests::evidence;
    use attention_core::state::Sitting;

    #[test]
    fn four_places_differ_and_both_forms_do() {
        let mut evidence = evidence(false, &[]);
        assert_eq!(four_of(&evidence, 3), Err(Gap::Sentence));
        for count in 4..20 {
            evidence.sitting = Sitting::Before;
            let before = four_of(&evidence, count).unwrap();
            evidence.sitting = Sitting::After;
            let after = four_of(&evidence, count).unwrap();
            for places in [before, after] {
                let mut sorted = places.to_vec();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), FOUR, "{count}: {places:?}");
                assert!(sorted[3] < count);
            }
            assert_ne!(before, after);
        }
    }

    #[test]
    fn a_convolution_weighs_what_is_near_and_seen() {
        let weights = |causal, query| {
            let evidence = evidence(causal, &[]);
            let head = evidence.facts.head;
            match convolved(&evidence, head, 1).remove(query) {
                Edit::Pattern { weights, .. } => weights,
                edit => panic!("{edit:?}"),
            }
        };
        assert_eq!(weights(false, 0), [0.5, 0.5, 0.0]);
        assert_eq!(weights(true, 0), [1.0]);
        assert_eq!(weights(true, 2), [0.0, 0.5, 0.5]);
    }

    #[test]
    fn four_attentions_differ() {
        let mut evidence = evidence(false, &[]);
        let before = four_attentions(&evidence).unwrap();
        evidence.sitting = Sitting::After;
        assert_ne!(four_attentions(&evidence).unwrap(), before);
        let different: std::collections::BTreeSet<String> =
            before.map(|attention| attention.block().to_string()).into();
        assert_eq!(different.len(), FOUR);
    }

    #[test]
    fn a_token_of_an_encoder_is_hidden_from_the_decoder_too() {
        let evidence = evidence(false, &[]);
        let layers = evidence.facts.stack.layers;
        let cross = evidence.facts.spec.layers(AttentionKind::Cross);
        assert_eq!(hidden(&evidence, 1).len(), layers + cross);
        for edit in hidden(&evidence, 1) {
            assert_eq!(edit.fault(&evidence.facts.spec), None);
        }
    }
}
