//! Questions about the model on screen.

use super::Asked;
use crate::kit::evidence::{Evidence, Gap};
use attention_core::widgets::{Expected, numbers::grouped};

type Answer = Result<Asked, Gap>;

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
            (query_parameters(&translator), "8192"),
            (attention_parameters(&translator), "262,144"),
            (embedding_parameters(&translator), "2,048,000"),
            (feed_forward_parameters(&translator), "524288"),
            (doubled(&translator), "4"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }
}
