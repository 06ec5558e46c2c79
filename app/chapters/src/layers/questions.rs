//! Questions about recurrence, convolution and self-attention over the tokens on screen.

use attention_trace::{
    Edit,
    layers::{Convolutions, SequenceLayer},
};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{convolved, four_heads, heads_of_layer, numbered},
    },
    trial::{Measure, Trial, step_words},
};
use attention_core::widgets::{
    Expected,
    numbers::{grouped, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The tokens by which the text is longer in the other form.
const LONGER: usize = 3;
/// The reach of a kernel of three.
const NEXT: usize = 1;

/// Returns the number of multiplications in the head's scores, in the other form of a longer text.
pub fn score_products(evidence: &Evidence) -> Answer {
    let longer = if evidence.is_first_form() { 0 } else { LONGER };
    let count = evidence.facts.names.len() + longer;
    Ok(Asked {
        expected: Expected::count(count * count * evidence.facts.stack.head_width),
        values: vec![("count", count.to_string())],
    })
}

/// Asks for the weight that the query gives to keys outside of a convolution's kernel.
pub fn outside_kernel(evidence: &Evidence) -> Answer {
    let (row, reach) = (evidence.visible_row(Need::Weights)?, reach(evidence));
    let query = evidence.facts.query;
    let far = (0..row.len()).filter(|key| key.abs_diff(query) > reach);
    let outside: f32 = far.clone().map(|key| row[key]).sum();
    if far.count() == 0 {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::about(outside, 0.05),
        values: vec![
            ("kernel", (2 * reach + 1).to_string()),
            ("inside", share_of_one(1.0 - outside, 3)),
        ],
    })
}

/// Four heads of the layer, each made a convolution with equal weights.
pub fn convolved_heads(evidence: &Evidence) -> Result<Trial, Gap> {
    let heads = four_heads(evidence)?;
    let mut values = step_words(evidence)?;
    values.extend(numbered(&heads));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: heads.map(|head| convolved(evidence, head, NEXT)).to_vec(),
        values,
    })
}

/// Asks which head, made a convolution, moves the probability of the step's token most.
pub fn convolved_head(evidence: &Evidence) -> Answer {
    convolved_heads(evidence)?.moves_most(evidence)
}

/// Asks how many of these changes make the step's token more probable.
pub fn convolved_head_raises(evidence: &Evidence) -> Answer {
    convolved_heads(evidence)?.raises(evidence)
}

/// All heads of the layer made a convolution, and made a mean over all keys.
pub fn near_and_all(evidence: &Evidence) -> Result<Trial, Gap> {
    let attention = evidence.facts.head.attention;
    let near = heads_of_layer(evidence).flat_map(|head| convolved(evidence, head, NEXT));
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: vec![
            near.collect(),
            vec![Edit::Uniform {
                attention,
                head: None,
            }],
        ],
        values: vec![("layer", (attention.layer + 1).to_string())],
    })
}

/// Asks why a convolution, or a mean over all tokens, is a worse substitute for the layer's attention.
pub fn near_or_all(evidence: &Evidence) -> Answer {
    near_and_all(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong one of four numbers of layers and operations.
pub fn wrong_of_path(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len();
    if n < 3 {
        return Err(Gap::Sentence);
    }
    let width = evidence.facts.stack.head_width;
    let layers = |kernel, dilated| {
        let convolutions = Convolutions { kernel, dilated };
        convolutions.layers_to_reach(n as u64).ok_or(Gap::Model)
    };
    let (contiguous, dilated) = (layers(3, false)?, layers(2, true)?);
    let steps = SequenceLayer::Recurrent.sequential_steps(n as u64);
    find_error(evidence, |derivation| {
        let written = |number: usize| grouped(number as u64);
        let recurrent = derivation.words(grouped(steps), written(n * n));
        let stacked = derivation.words(grouped(contiguous), written(n.div_ceil(3)));
        let doubled = derivation.words(grouped(dilated), written(n.div_ceil(2)));
        let products = derivation.words(written(n * n * width), written(n * width * width));
        Ok(vec![
            ("recurrent", recurrent),
            ("stacked", stacked),
            ("doubled", doubled),
            ("products", products),
        ])
    })
}

fn reach(evidence: &Evidence) -> usize {
    if evidence.is_first_form() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn what_a_kernel_leaves_out_is_weighed() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.1, 0.3, 0.6];
        let mut evidence = evidence(false, &[(Need::Weights, &rows)]);
        assert_eq!(outside_kernel(&evidence), Err(Gap::Sentence));
        evidence.facts.query = 0;
        assert_eq!(met(outside_kernel(&evidence), "0.5"), Some(true));
    }

    #[test]
    fn every_pair_has_a_product() {
        let evidence = evidence(false, &[]);
        let products = (9 * evidence.facts.stack.head_width).to_string();
        assert_eq!(met(score_products(&evidence), &products), Some(true));
    }

    #[test]
    fn a_head_that_is_a_convolution_has_a_row_for_each_query() {
        let evidence = evidence_of(&[0.5]);
        for change in convolved_heads(&evidence).unwrap().changes {
            assert_eq!(change.len(), 3);
        }
    }
}
