//! Questions about recurrence, convolution and self-attention over the tokens on screen.

use attention_trace::layers::{Convolutions, LayerSize, SequenceLayer};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::Expected;

type Answer = Result<Asked, Gap>;

/// Returns the number of states that a recurrent layer computes one after another.
pub fn recurrent_steps(evidence: &Evidence) -> Answer {
    let steps = SequenceLayer::Recurrent.sequential_steps(tokens(evidence));
    Ok(Expected::count(steps as usize).into())
}

/// The receptive field of three convolutions with kernels of three.
pub fn stacked_field(_: &Evidence) -> Answer {
    let convolutions = Convolutions {
        kernel: 3,
        dilated: false,
    };
    Ok(Expected::count(convolutions.receptive_field(3) as usize).into())
}

/// Returns the number of dilated convolutions with kernels of two that see all tokens.
pub fn dilated_layers(evidence: &Evidence) -> Answer {
    let convolutions = Convolutions {
        kernel: 2,
        dilated: true,
    };
    let layers = match tokens(evidence) {
        0 | 1 => return Err(Gap::Sentence),
        tokens => convolutions.layers_to_reach(tokens),
    };
    Ok(Expected::count(layers.ok_or(Gap::Model)? as usize).into())
}

/// Returns the number of multiplications in the head's scores.
pub fn score_products(evidence: &Evidence) -> Answer {
    let n = evidence.facts.names.len();
    Ok(Expected::count(n * n * evidence.facts.stack.head_width).into())
}

/// True if `n²·d` is smaller than `n·d²`.
pub fn pairs_cost_less(evidence: &Evidence) -> Answer {
    let size = LayerSize {
        tokens: tokens(evidence),
        width: evidence.facts.spec.width as u64,
        kernel: 1,
    };
    // Of two `n²·d` and two `n·d²` each.
    let pairs = SequenceLayer::SelfAttention.operations(size).by_pair;
    let matrices = SequenceLayer::Recurrent.operations(size).by_token;
    Ok(Expected::Truth(pairs < matrices).into())
}

fn tokens(evidence: &Evidence) -> u64 {
    evidence.facts.names.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn three_tokens_in_a_model_of_width_256() {
        let mut evidence = evidence(false, &[]);
        evidence.facts.spec.width = 256;
        evidence.facts.stack.head_width = 32;
        for (answer, right) in [
            (recurrent_steps(&evidence), "3"),
            (stacked_field(&evidence), "7"),
            // 2² is the first power of two that is no less than 3.
            (dilated_layers(&evidence), "2"),
            (score_products(&evidence), "288"),
            (pairs_cost_less(&evidence), "1"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
        evidence.facts.spec.width = 3;
        assert_eq!(met(pairs_cost_less(&evidence), "0"), Some(true));
    }

    #[test]
    fn a_single_token_needs_no_layers() {
        let mut evidence = evidence(false, &[]);
        evidence.facts.names.truncate(1);
        assert_eq!(dilated_layers(&evidence), Err(Gap::Sentence));
    }
}
