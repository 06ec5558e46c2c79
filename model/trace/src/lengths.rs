//! The accuracy of a model of a made-up task at lengths inside and beyond those it learned from:
//! `attn eval --lengths` measures it and the page draws it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The scores of several models by name.
pub type LengthScores = BTreeMap<String, Vec<LengthScore>>;

/// The scores of sequences of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthScore {
    /// Letters of each sequence.
    pub length: usize,
    /// The number of sequences scored.
    pub sequences: usize,
    /// Seed of the sequences.
    pub seed: u64,
    /// Over all places where something is to be named.
    pub all: PlaceScore,
    /// The scores at each letter, from place 0; `None` at the first few, where nothing is to be named.
    pub by_place: Vec<Option<PlaceScore>>,
}

impl LengthScore {
    /// Over the places from `first` up to `end`; `None` where nothing is to be named there.
    pub fn between(&self, first: usize, end: usize) -> Option<PlaceScore> {
        let places = self.by_place.iter().take(end).skip(first);
        PlaceScore::mean(places.flatten())
    }

    /// Over the places from `first` on; `None` where nothing is to be named there.
    pub fn from_place(&self, first: usize) -> Option<PlaceScore> {
        self.between(first, self.by_place.len())
    }
}

/// The loss and the accuracy of naming the letters at some places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceScore {
    /// Mean `−log p` of the right letter, in nats.
    pub loss: f64,
    /// Share of letters named rightly, from 0 to 1.
    pub accuracy: f64,
}

impl PlaceScore {
    /// The mean of the scores of places with equally many letters; `None` of none.
    pub fn mean<'a>(scores: impl Iterator<Item = &'a PlaceScore> + Clone) -> Option<PlaceScore> {
        let count = scores.clone().count();
        (count > 0).then(|| PlaceScore {
            loss: scores.clone().map(|score| score.loss).sum::<f64>() / count as f64,
            accuracy: scores.map(|score| score.accuracy).sum::<f64>() / count as f64,
        })
    }
}

/// The scores in a file that `attn eval --lengths` wrote.
///
/// # Errors
/// If it is no such file.
pub fn read_length_scores(json: &str) -> Result<LengthScores, serde_json::Error> {
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(loss: f64, accuracy: f64) -> Option<PlaceScore> {
        Some(PlaceScore { loss, accuracy })
    }

    #[test]
    fn means_are_of_the_places_where_something_is_named() {
        let score = LengthScore {
            length: 4,
            sequences: 1,
            seed: 0,
            all: PlaceScore {
                loss: 2.0,
                accuracy: 0.5,
            },
            by_place: vec![None, place(1.0, 1.0), place(2.0, 0.5), place(3.0, 0.0)],
        };
        assert_eq!(score.between(0, 3), place(1.5, 0.75));
        assert_eq!(score.from_place(2), place(2.5, 0.25));
        assert_eq!(score.between(0, 1), None);
    }

    #[test]
    fn the_six_models_scores_can_be_read() {
        let scores = read_length_scores(include_str!(
            "../../../assets/models/positions/results.json"
        ))
        .unwrap();
        assert_eq!(scores.len(), 6);
        for (name, lengths) in &scores {
            let lengths: Vec<_> = lengths.iter().map(|score| score.length).collect();
            assert_eq!(lengths, [16, 32, 64, 128], "{name}");
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(read_length_scores("{\"rope\": 1}").is_err());
    }
}
