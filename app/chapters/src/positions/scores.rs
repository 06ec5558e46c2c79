//! Scores of the six models as measured by `attn eval`, fetched when the chapter is opened.

use std::sync::Arc;

use attention_trace::{
    LengthScore, LengthScores, PlaceScore, positions::PositionalEncoding, read_length_scores,
};
use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    assets,
    engine::describe,
    state::{AddressValue, Model, Task},
};

/// The number of letters in the longest sequence of training.
pub const TRAINED_LETTERS: usize = 32;
/// The file of scores, beside the models.
const SCORES: &str = "results.json";

/// The scores of all six, or the error of fetching them.
pub type Fetched = Result<Scores, String>;

/// The scores of all six.
#[derive(Clone, Debug)]
pub struct Scores(Arc<LengthScores>);

impl Scores {
    /// Returns the scores of one model, by length from the shortest.
    pub fn of(&self, encoding: PositionalEncoding) -> &[LengthScore] {
        self.0
            .get(encoding.address_value())
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the number of letters in the longest sequences.
    pub fn furthest(&self) -> usize {
        let longest = self.0.values().filter_map(|lengths| lengths.last());
        longest.map(|score| score.length).max().unwrap_or(0)
    }

    /// The score at each place of the longest sequences.
    pub fn by_place(&self, encoding: PositionalEncoding) -> &[Option<PlaceScore>] {
        let longest = self.of(encoding).last();
        longest.map_or(&[], |score| score.by_place.as_slice())
    }

    /// Returns for each length the range of places, from 1, that the length before it did not have, and the score in
    /// that range.
    pub fn ranges(
        &self,
        encoding: PositionalEncoding,
    ) -> Vec<((usize, usize), Option<PlaceScore>)> {
        let lengths = self.of(encoding);
        let before = [0]
            .into_iter()
            .chain(lengths.iter().map(|score| score.length));
        let range = |(score, before): (&LengthScore, usize)| {
            ((before + 1, score.length), score.from_place(before))
        };
        lengths.iter().zip(before).map(range).collect()
    }
}

/// Fetches the scores; `None` until they are loaded.
pub fn fetch_scores() -> ReadSignal<Option<Fetched>> {
    let (scores, set_scores) = signal(None);
    spawn_local(async move {
        let letters = Model::first(|card| card.task == Task::Letters);
        let address = letters.shared_file(SCORES).unwrap_or_default();
        let text = assets::fetch_text(&address).await;
        let scores = text.map_err(|error| describe(&error)).and_then(|text| {
            let scores = read_length_scores(&text).map_err(|error| error.to_string())?;
            Ok(Scores(Arc::new(scores)))
        });
        set_scores.try_set(Some(scores));
    });
    scores
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn served() -> Scores {
        let text = include_str!("../../../../assets/models/positions/results.json");
        Scores(Arc::new(read_length_scores(text).unwrap()))
    }

    #[test]
    fn the_six_are_scored_inside_and_beyond_training() {
        let scores = served();
        assert_eq!(scores.furthest(), 128);
        for encoding in PositionalEncoding::ALL {
            assert_eq!(scores.by_place(encoding).len(), 128);
            let ranges: Vec<_> = scores
                .ranges(encoding)
                .into_iter()
                .map(|(range, _)| range)
                .collect();
            assert_eq!(ranges, [(1, 16), (17, 32), (33, 64), (65, 128)]);
        }
        let beyond = scores.ranges(PositionalEncoding::Rope)[2].1.unwrap();
        assert!((beyond.accuracy - 0.998).abs() < 1e-3);
    }

    #[test]
    fn training_ended_where_the_configurations_say() {
        for encoding in PositionalEncoding::ALL {
            let path = format!(
                "{}/../../assets/models/positions/{}/config.json",
                env!("CARGO_MANIFEST_DIR"),
                encoding.address_value()
            );
            let config: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            assert_eq!(config["task"]["longest"], TRAINED_LETTERS);
            assert_eq!(config["task"]["back"], super::super::letters::BACK);
        }
    }
}
