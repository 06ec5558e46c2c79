//! Questions about choosing a sequence: on the lecture's table, and on the model's output.

use attention_trace::search::{
    Cost, Ending, Path, TableModel, exhaustive, greedy, length_score, sequences,
};

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, grouped, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The width of the lecture's beam.
const WIDTH: u64 = 5;

/// Returns the number of sequences in the lecture's table.
pub fn all_sequences(_: &Evidence) -> Answer {
    let table = TableModel::default();
    let count = sequences(table.vocabulary() as u64, table.steps() as u32);
    let count = count.map_err(|_| Gap::Model)?;
    Ok(Expected::count(count as usize).into())
}

/// Returns the probability of greedy search's result on the lecture's table.
pub fn greedy_product(_: &Evidence) -> Answer {
    let found = greedy_path(&TableModel::default())?;
    let factors: Vec<String> = found.probabilities.iter().map(f64::to_string).collect();
    Ok(Asked {
        expected: Expected::Number {
            right: found.probability(),
            // Half of the third decimal.
            tolerance: 0.0005,
        },
        values: vec![("factors", factors.join(", "))],
    })
}

/// True if no other sequence is more probable.
pub fn greedy_is_best(_: &Evidence) -> Answer {
    let table = TableModel::default();
    let found = greedy_path(&table)?.probability();
    let all = exhaustive(&table, Ending::AllSteps).map_err(|_| Gap::Model)?;
    let best = all.found.first().map_or(0.0, Path::probability);
    Ok(Asked {
        expected: Expected::Truth(best <= found + 1e-12),
        values: vec![
            ("best", share_of_one(best as f32, 3)),
            ("greedy", share_of_one(found as f32, 3)),
        ],
    })
}

/// Returns the number of probabilities that a beam considers over as many steps as the text on screen has.
pub fn beam_candidates(evidence: &Evidence) -> Answer {
    let (_, steps) = written(evidence)?;
    let vocabulary = evidence.facts.spec.vocabulary as u64;
    Ok(Asked {
        expected: Expected::count(Cost::of_beam(WIDTH, vocabulary, steps as u64) as usize),
        values: vec![
            ("k", WIDTH.to_string()),
            ("vocabulary", grouped(vocabulary)),
            ("count", steps.to_string()),
        ],
    })
}

/// The score of that text with α = 1.
pub fn length_score_of_text(evidence: &Evidence) -> Answer {
    let (sum, steps) = written(evidence)?;
    let score = length_score(f64::from(sum), steps, 1.0);
    Ok(Asked {
        expected: Expected::about(score as f32, 0.03),
        values: vec![("sum", decimal(sum, 3)), ("count", steps.to_string())],
    })
}

fn greedy_path(table: &TableModel) -> Result<Path, Gap> {
    let tree = greedy(table, &[]);
    let best = tree.results.first().ok_or(Gap::Model)?;
    Ok(tree.path(*best))
}

/// Returns `Σ ln p` of the model's output, and the number of its tokens.
fn written(evidence: &Evidence) -> Result<(f32, usize), Gap> {
    let decoding = evidence.decoding.as_ref().ok_or(Gap::Model)?;
    let terms = decoding
        .steps
        .iter()
        .map(|step| step.chosen.log_probability);
    match decoding.steps.len() {
        0 => Err(Gap::Model),
        steps => Ok((terms.sum(), steps)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{
        evidence::tests::evidence,
        questions::tests::{evidence_of, met},
    };

    #[test]
    fn the_lectures_table_has_256_sequences_and_greedy_finds_0_048() {
        let evidence = evidence(false, &[]);
        assert_eq!(met(all_sequences(&evidence), "256"), Some(true));
        assert_eq!(met(greedy_product(&evidence), "0.048"), Some(true));
        // The better one is another answer.
        assert_eq!(met(greedy_product(&evidence), "0.054"), Some(false));
        assert_eq!(met(greedy_is_best(&evidence), "0"), Some(true));
    }

    #[test]
    fn costs_and_scores_are_of_the_text_on_screen() {
        let mut evidence = evidence_of(&[0.5, 0.125]);
        evidence.facts.spec.vocabulary = 8_000;
        assert_eq!(met(beam_candidates(&evidence), "80,000"), Some(true));
        // (ln 0.5 + ln 0.125) / 2.
        assert_eq!(met(length_score_of_text(&evidence), "-1.386"), Some(true));
    }

    #[test]
    fn a_model_that_writes_nothing_is_not_asked() {
        let evidence = evidence(false, &[]);
        assert_eq!(beam_candidates(&evidence), Err(Gap::Model));
        assert_eq!(length_score_of_text(&evidence), Err(Gap::Model));
    }
}
