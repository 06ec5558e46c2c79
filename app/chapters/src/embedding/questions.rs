//! Questions about reading word by word and about sentences embedded by several hops, of as many words as there are tokens
//! on screen.

use attention_trace::{
    Array,
    lessons::{overlap, penalty},
};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::Expected;

type Answer = Result<Asked, Gap>;

/// Hops that the questions name.
const HOPS: usize = 4;

/// Width of a state that the questions name.
const WIDTH: usize = 64;

/// Asks for the number of tokens before the last one.
pub fn tokens_before(evidence: &Evidence) -> Answer {
    let tokens = evidence.facts.names.len();
    Ok(Expected::count(tokens.saturating_sub(1)).into())
}

/// Asks for the number of weights of `A`.
pub fn hop_weights(evidence: &Evidence) -> Answer {
    Ok(Expected::count(HOPS * evidence.facts.names.len()).into())
}

/// Asks for the sum of all weights of `A`.
pub fn hop_total(_: &Evidence) -> Answer {
    Ok(Expected::count(HOPS).into())
}

/// Asks for the number of elements of `M`.
pub fn embedding_numbers(_: &Evidence) -> Answer {
    Ok(Expected::count(HOPS * WIDTH).into())
}

/// The penalty where every hop has all its weight on one and the same word.
pub fn largest_penalty(_: &Evidence) -> Answer {
    let weights = Array {
        shape: vec![HOPS, 1],
        data: vec![1.0; HOPS],
    };
    Ok(Expected::count(penalty(&overlap(&weights)) as usize).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn of_three_tokens_and_four_hops() {
        let evidence = evidence(false, &[]);
        for (answer, right) in [
            (tokens_before(&evidence), "2"),
            (hop_weights(&evidence), "12"),
            (hop_total(&evidence), "4"),
            (embedding_numbers(&evidence), "256"),
            (largest_penalty(&evidence), "12"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }
}
