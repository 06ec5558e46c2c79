//! Questions about the model on screen.

use std::f32::consts::TAU;

use attention_trace::{NormKind, positions::PositionalEncoding};

use super::Asked;
use crate::kit::evidence::{Evidence, Gap};
use attention_core::widgets::{Expected, numbers::grouped};

type Answer = Result<Asked, Gap>;

/// Asks for the number of tokens that the head reads.
pub fn tokens(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.names.len()).into())
}

/// Asks which of the model's sizes is the width of a token's vector.
pub fn width(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let (spec, stack) = (&facts.spec, &facts.stack);
    let inner = stack.feed_forward.ok_or(Gap::Model)?.width;
    let mut sizes = vec![spec.width, stack.head_width, inner, spec.vocabulary];
    sizes.sort_unstable();
    sizes.dedup();
    let is_right = |&place: &usize| sizes[place] == spec.width;
    Ok(Expected::OneOf {
        right: (0..sizes.len()).filter(is_right).collect(),
        options: sizes.iter().map(|&size| grouped(size as u64)).collect(),
    }
    .into())
}

/// Asks for the width of a token's vector.
pub fn vector(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.spec.width).into())
}

/// Asks for the number of heads of the layer.
pub fn heads(evidence: &Evidence) -> Answer {
    Ok(Expected::count(evidence.facts.stack.heads).into())
}

/// Asks for the width of the concatenated outputs of all heads.
pub fn concatenated(evidence: &Evidence) -> Answer {
    let stack = &evidence.facts.stack;
    Ok(Expected::count(stack.heads * stack.head_width).into())
}

/// Asks whether the model uses positions at all.
pub fn knows_order(evidence: &Evidence) -> Answer {
    let encoding = evidence.facts.spec.positions.encoding;
    Ok(Expected::Truth(encoding != PositionalEncoding::None).into())
}

/// Asks whether positions are vectors that are added to the embeddings.
pub fn adds_vectors(evidence: &Evidence) -> Answer {
    let encoding = evidence.facts.spec.positions.encoding;
    Ok(Expected::Truth(encoding.adds_vectors()).into())
}

/// Pairs of dimensions that turn together, or share a wavelength.
pub fn pairs(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let width = match facts.spec.positions.encoding {
        PositionalEncoding::Sinusoidal => facts.spec.width,
        PositionalEncoding::Rope => facts.stack.head_width,
        _ => return Err(Gap::Model),
    };
    Ok(Asked {
        expected: Expected::count(width / 2),
        values: vec![("dimensions", width.to_string())],
    })
}

/// After how many tokens the fastest pair has turned once.
pub fn period(evidence: &Evidence) -> Answer {
    match evidence.facts.spec.positions.encoding {
        // Its angle is the position itself.
        PositionalEncoding::Sinusoidal | PositionalEncoding::Rope => {
            Ok(Expected::about(TAU, 0.01).into())
        }
        _ => Err(Gap::Model),
    }
}

/// Asks whether norms precede the sub-layers.
pub fn pre_norm(evidence: &Evidence) -> Answer {
    let placement = evidence.facts.stack.norm.ok_or(Gap::Model)?.placement;
    Ok(Expected::Truth(placement.is_on_input()).into())
}

/// Asks whether the model's norm subtracts the mean.
pub fn subtracts_mean(evidence: &Evidence) -> Answer {
    let kind = evidence.facts.stack.norm.ok_or(Gap::Model)?.kind;
    Ok(Expected::Truth(kind == NormKind::LayerNorm).into())
}

/// The mean square of what either norm makes, before the gain: LayerNorm's variance around 0, RMSNorm's by design.
pub fn mean_square(_: &Evidence) -> Answer {
    Ok(Expected::count(1).into())
}

/// Asks for the inner width of the feed-forward network as a multiple of the model's width.
pub fn inner_ratio(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let inner = facts.stack.feed_forward.ok_or(Gap::Model)?.width;
    let ratio = inner as f32 / facts.spec.width as f32;
    Ok(Asked {
        expected: Expected::about(ratio, 0.03),
        values: vec![("inner", grouped(inner as u64))],
    })
}

/// Asks for the number of sub-layers that add to a token's residual stream in the stack.
pub fn sublayers(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let each = facts
        .spec
        .sublayers(facts.head.attention.kind.stack())
        .count();
    Ok(Asked {
        expected: Expected::count(facts.stack.layers * each),
        values: vec![
            ("layers", facts.stack.layers.to_string()),
            ("each", each.to_string()),
        ],
    })
}

/// Weights of the matrix that makes the head's queries.
pub fn query_parameters(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    Ok(Expected::count(facts.spec.width * facts.stack.head_width).into())
}

/// Weights of a layer's four matrices of self-attention.
pub fn attention_parameters(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let heads = 2 * facts.stack.heads + 2 * facts.stack.key_value_heads;
    Ok(Asked {
        expected: Expected::count(facts.spec.width * facts.stack.head_width * heads),
        values: vec![
            ("heads", facts.stack.heads.to_string()),
            ("key_value_heads", facts.stack.key_value_heads.to_string()),
        ],
    })
}

/// Numbers of the embedding table.
pub fn embedding_parameters(evidence: &Evidence) -> Answer {
    let spec = &evidence.facts.spec;
    // The vectors of patches are in no table.
    if spec.reads_pictures() {
        return Err(Gap::Model);
    }
    Ok(Asked {
        expected: Expected::count(spec.width * spec.vocabulary),
        values: vec![("vocabulary", grouped(spec.vocabulary as u64))],
    })
}

/// Weights of a layer's feed-forward network.
pub fn feed_forward_parameters(evidence: &Evidence) -> Answer {
    let facts = &evidence.facts;
    let feed_forward = facts.stack.feed_forward.ok_or(Gap::Model)?;
    let matrices = if feed_forward.gated { 3 } else { 2 };
    Ok(Asked {
        expected: Expected::count(matrices * facts.spec.width * feed_forward.width),
        values: vec![
            ("matrices", matrices.to_string()),
            ("inner", grouped(feed_forward.width as u64)),
        ],
    })
}

/// Asks for the factor by which the number of weights of a map grows if the text is twice as long.
pub fn doubled(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len().max(1);
    Ok(Expected::count((2 * n) * (2 * n) / (n * n)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn the_translators_sizes() {
        let mut translator = evidence(false, &[]);
        let facts = &mut translator.facts;
        (facts.spec.width, facts.spec.vocabulary) = (256, 8_000);
        (
            facts.stack.heads,
            facts.stack.key_value_heads,
            facts.stack.head_width,
        ) = (8, 8, 32);
        facts.stack.layers = 3;
        facts.stack.feed_forward.as_mut().unwrap().width = 1024;
        for (answer, right) in [
            (tokens(&translator), "3"),
            // 32, 256, 1024 and 8000.
            (width(&translator), "1"),
            (vector(&translator), "256"),
            (heads(&translator), "8"),
            (concatenated(&translator), "256"),
            (inner_ratio(&translator), "4"),
            (sublayers(&translator), "6"),
            (query_parameters(&translator), "8192"),
            (attention_parameters(&translator), "262,144"),
            (embedding_parameters(&translator), "2,048,000"),
            (feed_forward_parameters(&translator), "524288"),
            (doubled(&translator), "4"),
            (mean_square(&translator), "1"),
            (pairs(&translator), "128"),
            (period(&translator), "6.28"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
        assert_eq!(met(pre_norm(&translator), "0"), Some(true));
        assert_eq!(met(subtracts_mean(&translator), "1"), Some(true));
        assert_eq!(met(adds_vectors(&translator), "1"), Some(true));
        assert_eq!(met(knows_order(&translator), "1"), Some(true));
    }

    #[test]
    fn a_model_with_rope_turns_pairs_of_a_head() {
        let sentences = evidence(true, &[]);
        let half = sentences.facts.stack.head_width / 2;
        assert_eq!(met(pairs(&sentences), &half.to_string()), Some(true));
        assert_eq!(met(adds_vectors(&sentences), "0"), Some(true));
        assert_eq!(met(pre_norm(&sentences), "1"), Some(true));
        assert_eq!(met(subtracts_mean(&sentences), "0"), Some(true));
    }

    #[test]
    fn a_model_without_pairs_is_asked_for_none() {
        let mut learned = evidence(false, &[]);
        learned.facts.spec.positions = PositionalEncoding::Learned.into();
        assert_eq!(pairs(&learned), Err(Gap::Model));
        assert_eq!(period(&learned), Err(Gap::Model));
    }
}
