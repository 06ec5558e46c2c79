//! Measured target of a head of cross-attention: the source of the word that its row writes, or of the word that its
//! row reads.

use std::sync::LazyLock;

use attention_trace::alignment::{AlignmentScores, RowOf, read_alignment_scores};

use crate::state::{HeadChoice, Model};

/// The alignment error rate above which a head counts as attending to neither word.
const FINDS: f64 = 0.5;

/// The scores of the models that were measured.
static SCORES: LazyLock<Vec<(Model, AlignmentScores)>> = LazyLock::new(|| {
    let scores = |model: Model| {
        // Files of this build; a test reads them.
        let scores = read_alignment_scores(model.as_served()?.alignment_errors?).ok()?;
        Some((model, scores))
    };
    Model::served().filter_map(scores).collect()
});

/// The target that a head attends to, with the scores behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// The row that is aligned with the word's source.
    pub row: RowOf,
    /// The alignment error rate of that row, over all pairs.
    pub error: f64,
    /// The number of pairs that were aligned by hand.
    pub pairs: usize,
}

impl Looks {
    /// Returns the target of a head that was measured and finds one of the words, over both languages' pairs together.
    pub fn of(model: Model, head: HeadChoice) -> Option<Self> {
        let (_, scores) = SCORES.iter().find(|(measured, _)| *measured == model)?;
        Looks::pooled(scores, head)
    }

    fn pooled(scores: &AlignmentScores, head: HeadChoice) -> Option<Self> {
        let mut pairs = 0;
        let (mut writing, mut reading) = (0.0, 0.0);
        for set in &scores.sets {
            let errors = set.of(head.attention, head.head)?;
            pairs += set.pairs;
            writing += errors.writing * set.pairs as f64;
            reading += errors.reading * set.pairs as f64;
        }
        let (row, sum) = match writing <= reading {
            true => (RowOf::Writing, writing),
            false => (RowOf::Reading, reading),
        };
        let error = sum / pairs.max(1) as f64;
        (pairs > 0 && error <= FINDS).then_some(Looks { row, error, pairs })
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::AttentionKind;

    use super::*;
    use crate::state::HeadPlace;

    fn model(name: &str) -> Model {
        name.parse().unwrap()
    }

    fn cross(layer: usize, head: usize) -> HeadChoice {
        format!("cross.{layer}.{head}").parse().unwrap()
    }

    #[test]
    fn the_first_head_looks_for_the_word_that_is_written_in_both_translators() {
        let HeadPlace { layer, head } = HeadPlace::first(AttentionKind::Cross);
        for name in ["translator", "to-french", "to-chinese"] {
            let looks = Looks::of(model(name), cross(layer, head)).unwrap();
            assert_eq!((looks.row, looks.pairs), (RowOf::Writing, 80));
            assert!(looks.error < 0.34, "{looks:?}");
        }
    }

    #[test]
    fn a_head_that_looks_back_is_told_apart() {
        let back = Looks::of(Model::default(), cross(1, 3)).unwrap();
        assert_eq!(back.row, RowOf::Reading);
        assert!((back.error - 0.39).abs() < 0.01);
    }

    #[test]
    fn of_what_finds_neither_or_was_not_measured_nothing_is_said() {
        assert_eq!(Looks::of(Model::default(), cross(0, 0)), None);
        assert_eq!(Looks::of(Model::default(), cross(9, 0)), None);
        let own = "encoder.0.0".parse().unwrap();
        assert_eq!(Looks::of(Model::default(), own), None);
        assert_eq!(Looks::of(model("sentences"), cross(2, 3)), None);
    }
}
