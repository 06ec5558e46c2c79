//! Parameters of chapter "scores".

use crate::source::DataSource;
use attention_core::state::{AddressValue, Entry, Parameters, flat};
use attention_trace::lessons::ScoreFunction;
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Scores {
    /// The source of query and keys.
    #[serde(rename = "scores-of")]
    pub source: DataSource,
    /// The query on the plane, in tenths.
    #[serde(rename = "scores-query")]
    pub query: [i32; 2],
    /// The score function whose weights read.
    #[serde(rename = "scores-by", with = "flat::choice")]
    pub function: ScoreFunction,
    /// The vectors that are read: the keys themselves, or values of their own.
    #[serde(rename = "scores-read")]
    pub read: Read,
    /// The number of samples of hard attention.
    #[serde(rename = "scores-draws")]
    pub draws: usize,
    /// The seed of the draws.
    #[serde(rename = "scores-seed")]
    pub seed: u32,
}

/// The vectors that the weights average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// Separate values, one beside each key.
    #[default]
    Values,
    /// The keys that were scored.
    Keys,
}

impl AddressValue for Read {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Default for Scores {
    fn default() -> Self {
        Scores {
            source: DataSource::Lecture,
            query: [10, 10],
            function: ScoreFunction::Dot,
            read: Read::Values,
            draws: 20,
            seed: 1,
        }
    }
}

impl Scores {
    /// The smallest and the largest coordinate of the query, in tenths.
    pub const QUERIES: (i32, i32) = (-30, 30);
    /// The fewest and the most samples.
    pub const DRAWS: (usize, usize) = (1, 500);

    /// Returns the query as a point of the plane.
    pub fn point(&self) -> [f32; 2] {
        self.query.map(|tenths| tenths as f32 / 10.0)
    }

    /// Moves the query to the nearest point on the grid of tenths, within its bounds.
    pub fn move_to(&mut self, point: [f32; 2]) {
        let (low, high) = Self::QUERIES;
        self.query = point.map(|value| ((value * 10.0).round() as i32).clamp(low, high));
    }
}

impl Parameters for Scores {
    const CHAPTER: &'static str = "scores";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("scores-query").each_within(Self::QUERIES.0 as f64, Self::QUERIES.1 as f64),
        Entry::named("scores-draws").within(Self::DRAWS.0 as f64, Self::DRAWS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn scores()(
            source in choice::<DataSource>(),
            query in prop::array::uniform2(Scores::QUERIES.0..=Scores::QUERIES.1),
            function in choice::<ScoreFunction>(),
            read in choice::<Read>(),
            draws in Scores::DRAWS.0..=Scores::DRAWS.1,
            seed in any::<u32>(),
        ) -> Scores {
            Scores { source, query, function, read, draws, seed }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let fragment = Reader::new("scores-query=10.-31&scores-draws=0&scores-by=guess");
        assert_eq!(Scores::read(&fragment), Scores::default());
    }

    #[test]
    fn a_query_moves_on_a_grid_of_tenths() {
        let mut scores = Scores::default();
        scores.move_to([0.26, -7.0]);
        assert_eq!(scores.query, [3, -30]);
        assert_eq!(scores.point(), [0.3, -3.0]);
    }
}
