//! Parameters of chapter "scores".

use crate::source::DataSource;
use attention_core::state::{AddressValue, Parameters, Reader, Writer};
use attention_trace::lessons::ScoreFunction;

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scores {
    /// The source of query and keys.
    pub source: DataSource,
    /// The query on the plane, in tenths.
    pub query: [i32; 2],
    /// The score function whose weights read.
    pub function: ScoreFunction,
    /// The vectors that are read: the keys themselves, or values of their own.
    pub read: Read,
    /// The number of samples of hard attention.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u32,
}

/// The vectors that the weights average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Read {
    /// Separate values, one beside each key.
    #[default]
    Values,
    /// The keys that were scored.
    Keys,
}

impl AddressValue for Read {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Read::Values, "values"), (Read::Keys, "keys")];
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

    fn write(&self, fragment: &mut Writer) {
        let standard = Scores::default();
        fragment.choice("scores-of", self.source, standard.source);
        if self.query != standard.query {
            fragment.list("scores-query", &self.query);
        }
        fragment.choice("scores-by", self.function, standard.function);
        fragment.choice("scores-read", self.read, standard.read);
        fragment.number("scores-draws", self.draws, standard.draws);
        fragment.number("scores-seed", self.seed, standard.seed);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Scores::default();
        Scores {
            source: fragment.choice("scores-of").unwrap_or(standard.source),
            query: fragment
                .array("scores-query", Self::QUERIES)
                .unwrap_or(standard.query),
            function: fragment.choice("scores-by").unwrap_or(standard.function),
            read: fragment.choice("scores-read").unwrap_or(standard.read),
            draws: fragment
                .within("scores-draws", Self::DRAWS)
                .unwrap_or(standard.draws),
            seed: fragment.number("scores-seed").unwrap_or(standard.seed),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

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
