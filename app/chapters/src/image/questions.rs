//! Questions about attention over the cells of a picture, and over the tokens on screen beside it.

use attention_trace::{layers::Convolutions, lessons::Picture};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::Expected;

type Answer = Result<Asked, Gap>;

/// How many weights a head has over the tokens on screen, each of which looks at all.
pub fn sentence_weights(evidence: &Evidence) -> Answer {
    let tokens = evidence.facts.names.len();
    Ok(Expected::count(tokens * tokens).into())
}

/// How many times as many weights a picture of twice the side has.
pub fn twice_the_side(_: &Evidence) -> Answer {
    let weights = |side: usize| (side * side).pow(2);
    let times = weights(2 * Picture::SIDE) / weights(Picture::SIDE);
    Ok(Expected::count(times).into())
}

/// The side of what two convolutions see.
pub fn seen_before(_: &Evidence) -> Answer {
    let convolutions = Convolutions {
        kernel: 3,
        dilated: false,
    };
    Ok(Expected::count(convolutions.receptive_field(2) as usize).into())
}

/// How many positions of a picture a convolution of 3 × 3 in its middle does not reach.
pub fn beyond_a_kernel(_: &Evidence) -> Answer {
    Ok(Expected::count(Picture::CELLS - 3 * 3).into())
}

/// Whether a picture has more weights than the sentence.
pub fn more_than_a_sentence(evidence: &Evidence) -> Answer {
    let tokens = evidence.facts.names.len();
    Ok(Expected::Truth(Picture::CELLS.pow(2) > tokens.pow(2)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn of_three_tokens_and_eight_by_eight_cells() {
        let evidence = evidence(false, &[]);
        for (answer, right) in [
            (sentence_weights(&evidence), "9"),
            (twice_the_side(&evidence), "16"),
            (seen_before(&evidence), "5"),
            (beyond_a_kernel(&evidence), "55"),
            (more_than_a_sentence(&evidence), "1"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }
}
