//! Questions about recurrent encoder–decoders that read the sentence on screen, and about the effect of attention.

use attention_trace::{config::GruConfig, window_factor};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::{Expected, numbers::decimal};

type Answer = Result<Asked, Gap>;

/// The reach `D` of the window in the question.
const REACH: usize = 2;

/// Returns the number of values that the decoder of the one-vector model gets of the sentence.
pub fn vector_numbers(_: &Evidence) -> Answer {
    Ok(Expected::count(GruConfig::default().hidden_size).into())
}

/// Returns the width of one direction's states in a bidirectional encoder; both directions together are as wide as
/// the decoder's states.
pub fn direction_width(_: &Evidence) -> Answer {
    let config = GruConfig {
        bidirectional: true,
        ..GruConfig::default()
    };
    Ok(Asked {
        expected: Expected::count(config.direction_size()),
        values: vec![("states", config.hidden_size.to_string())],
    })
}

/// Returns the number of weights between the tokens read and the tokens written.
pub fn alignment_weights(evidence: &Evidence) -> Answer {
    let written = evidence.decoding.as_ref().ok_or(Gap::Sentence)?.steps.len();
    if written == 0 {
        return Err(Gap::Sentence);
    }
    Ok(Asked {
        expected: Expected::count(evidence.facts.names.len() * written),
        values: vec![("written", written.to_string())],
    })
}

/// Returns the number of positions in a window centred on the token.
pub fn window_positions(evidence: &Evidence) -> Answer {
    let (query, n) = (evidence.facts.query, evidence.facts.names.len());
    let inside = (0..n).filter(|position| position.abs_diff(query) <= REACH);
    Ok(Asked {
        expected: Expected::count(inside.count()),
        values: vec![("reach", REACH.to_string())],
    })
}

/// Returns the factor of a weight at half of `D` from the centre.
pub fn window_half(_: &Evidence) -> Answer {
    let factor = window_factor(REACH as f32 / 2.0, REACH);
    Ok(Asked {
        expected: Expected::about(factor, 0.02),
        values: vec![
            ("reach", REACH.to_string()),
            ("half", (REACH / 2).to_string()),
            ("factor", decimal(factor, 3)),
        ],
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };
    use attention_core::state::Model;

    #[test]
    fn three_tokens_are_read_and_two_written() {
        let evidence = evidence_of(&[0.5, 0.125]);
        for (answer, right) in [
            (vector_numbers(&evidence), "256"),
            (direction_width(&evidence), "128"),
            (alignment_weights(&evidence), "6"),
            (window_positions(&evidence), "3"),
            (window_half(&evidence), "0.607"),
        ] {
            assert_eq!(met(answer, right), Some(true), "{right}");
        }
    }

    #[test]
    fn what_was_not_written_is_not_aligned() {
        let evidence = evidence(false, &[]);
        assert_eq!(alignment_weights(&evidence), Err(Gap::Sentence));
    }

    #[test]
    fn the_models_that_are_served_have_these_sizes() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        for model in Model::served().filter(|model| model.card().is_recurrent) {
            let directory = model.directory().unwrap();
            let json = fs::read_to_string(assets.join(directory).join("config.json")).unwrap();
            let config: GruConfig = serde_json::from_str(&json).unwrap();
            assert_eq!(config.hidden_size, GruConfig::default().hidden_size);
            assert!(config.bidirectional);
        }
    }
}
