//! Questions about attention over the cells of a picture, and over the tokens on screen beside it.

use attention_trace::{layers::Convolutions, lessons::Picture};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::Expected;

type Answer = Result<Asked, Gap>;

/// Asks for the number of weights of a head over the tokens on screen, with weights from every token to every token.
pub fn sentence_weights(evidence: &Evidence) -> Answer {
    let tokens = evidence.facts.names.len();
    Ok(Expected::count(tokens * tokens).into())
}

/// Asks for the factor by which the number of weights grows when the picture's side doubles.
pub fn twice_the_side(_: &Evidence) -> Answer {
    let weights = |side: usize| (side * side).pow(2);
    let times = weights(2 * Picture::SIDE) / weights(Picture::SIDE);
    Ok(Expected::count(times).into())
}

/// Asks for the side of the receptive field of two 3 × 3 convolutions.
pub fn seen_before(_: &Evidence) -> Answer {
    let convolutions = Convolutions {
        kernel: 3,
        dilated: false,
    };
    Ok(Expected::count(convolutions.receptive_field(2) as usize).into())
}

/// Asks for the number of positions outside a 3 × 3 convolution in the middle of a picture.
pub fn beyond_a_kernel(_: &Evidence) -> Answer {
    Ok(Expected::count(Picture::CELLS - 3 * 3).into())
}

/// Asks if a picture has more weights than the sentence on screen.
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
