//! Parameters of chapter "search".

use std::array;

use attention_core::state::{AddressValue, Entry, Parameters, flat};
use attention_trace::search::{
    Ending, LECTURE, LECTURE_PREFIXES, Sampling, TableFault, TableModel, lecture_table,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The number of tokens in the table.
const TOKENS: usize = LECTURE[0].len();
/// The number of rows in the table: a row for each step, and rows for some prefixes.
const ROWS: usize = LECTURE.len();
/// The number of cells in the table.
const CELLS: usize = ROWS * TOKENS;

/// A method of choosing the next token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The most probable one.
    #[default]
    Greedy,
    /// Search through every sequence.
    Exhaustive,
    /// Beam search, which keeps the best prefixes.
    Beam,
    /// Drawing from the probabilities.
    Sampling,
}

impl AddressValue for Method {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct SearchLab {
    /// The table in hundredths, as it was typed: its rows need not sum to one.
    #[serde(
        rename = "search-table",
        serialize_with = "write_table",
        deserialize_with = "read_table"
    )]
    pub table: [[i32; TOKENS]; ROWS],
    /// The method of choosing the next token.
    #[serde(rename = "search-by")]
    pub method: Method,
    /// The definition of a sequence for exhaustive search.
    #[serde(rename = "search-until", with = "flat::choice")]
    pub ending: Ending,
    /// True if all sequences are listed.
    #[serde(rename = "search-all")]
    pub all: bool,
    /// The number of prefixes that the beam keeps.
    #[serde(rename = "search-k")]
    pub width: usize,
    /// The exponent α of the length, in hundredths.
    #[serde(rename = "search-alpha")]
    pub alpha: usize,
    /// The tokens of the prefix that the beam is forced to start with.
    #[serde(rename = "search-prefix", deserialize_with = "prefix")]
    pub prefix: Vec<usize>,
    /// The temperature, in hundredths.
    #[serde(rename = "search-t")]
    pub temperature: usize,
    /// The largest number of tokens to draw from.
    #[serde(rename = "search-top-k")]
    pub top_k: usize,
    /// The share that the tokens have together that are drawn from, in hundredths.
    #[serde(rename = "search-top-p")]
    pub top_p: usize,
    /// The number of sequences drawn.
    #[serde(rename = "search-draws")]
    pub draws: usize,
    /// The seed of the draws.
    #[serde(rename = "search-seed")]
    pub seed: u32,
    /// The sizes for counting costs.
    #[serde(rename = "*count")]
    pub count: Count,
}

/// The sizes whose costs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Count {
    /// The number of tokens in the vocabulary, `n`.
    #[serde(rename = "count-n")]
    pub vocabulary: u64,
    /// The number of steps, `T`.
    #[serde(rename = "count-t")]
    pub length: u32,
    /// The number of prefixes that the beam keeps, `k`.
    #[serde(rename = "count-k")]
    pub width: u64,
}

impl Count {
    /// The sizes in the lecture.
    pub const LECTURE: Count = Count {
        vocabulary: 10_000,
        length: 10,
        width: 5,
    };
    /// The smallest and the largest vocabulary.
    pub const VOCABULARIES: (u64, u64) = (2, 1_000_000);
    /// The fewest and the most steps.
    pub const LENGTHS: (u32, u32) = (1, 1000);
    /// The narrowest and the widest beam.
    pub const WIDTHS: (u64, u64) = (1, 1000);
}

impl Default for Count {
    fn default() -> Self {
        Count::LECTURE
    }
}

impl Default for SearchLab {
    fn default() -> Self {
        SearchLab {
            table: LECTURE,
            method: Method::Greedy,
            ending: Ending::AllSteps,
            all: false,
            width: 2,
            alpha: 75,
            prefix: Vec::new(),
            temperature: 100,
            top_k: TOKENS,
            top_p: 100,
            draws: 200,
            seed: 1,
            count: Count::LECTURE,
        }
    }
}

impl SearchLab {
    /// The smallest and the largest number of a cell, in hundredths.
    pub const CELLS: (i32, i32) = (0, 100);
    /// The narrowest and the widest beam.
    pub const WIDTHS: (usize, usize) = (1, 5);
    /// The smallest and the largest α, in hundredths.
    pub const ALPHAS: (usize, usize) = (0, 200);
    /// The lowest and the highest temperature, in hundredths.
    pub const TEMPERATURES: (usize, usize) = (10, 300);
    /// The fewest and the most tokens that are drawn from.
    pub const TOP_K: (usize, usize) = (1, TOKENS);
    /// The smallest and the largest share of the tokens that are drawn from, in hundredths.
    pub const TOP_P: (usize, usize) = (5, 100);
    /// The fewest and the most sequences drawn.
    pub const DRAWS: (usize, usize) = (1, 1000);

    /// The table as a model.
    ///
    /// # Errors
    /// If a row does not sum to one.
    pub fn model(&self) -> Result<TableModel, TableFault> {
        lecture_table(&self.table)
    }

    /// The exponent of the length.
    pub fn alpha(&self) -> f64 {
        hundredths(self.alpha)
    }

    pub fn sampling(&self) -> Sampling {
        Sampling {
            temperature: hundredths(self.temperature),
            top_k: self.top_k,
            top_p: hundredths(self.top_p),
        }
    }

    /// Sets a cell's number, in hundredths; ignored if there is no such cell or the number is out of bounds.
    pub fn set(&mut self, (row, column): (usize, usize), value: i32) {
        let (low, high) = Self::CELLS;
        let cell = self.table.get_mut(row).and_then(|row| row.get_mut(column));
        if let Some(cell) = cell
            && (low..=high).contains(&value)
        {
            *cell = value;
        }
    }
}

impl Parameters for SearchLab {
    const CHAPTER: &'static str = "search";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("search-table").each_within(Self::CELLS.0 as f64, Self::CELLS.1 as f64),
        Entry::named("search-k").within(Self::WIDTHS.0 as f64, Self::WIDTHS.1 as f64),
        Entry::named("search-alpha").within(Self::ALPHAS.0 as f64, Self::ALPHAS.1 as f64),
        Entry::named("search-t").within(Self::TEMPERATURES.0 as f64, Self::TEMPERATURES.1 as f64),
        Entry::named("search-top-k").within(Self::TOP_K.0 as f64, Self::TOP_K.1 as f64),
        Entry::named("search-top-p").within(Self::TOP_P.0 as f64, Self::TOP_P.1 as f64),
        Entry::named("search-draws").within(Self::DRAWS.0 as f64, Self::DRAWS.1 as f64),
        Entry::named("count-n").within(Count::VOCABULARIES.0 as f64, Count::VOCABULARIES.1 as f64),
        Entry::named("count-t").within(Count::LENGTHS.0 as f64, Count::LENGTHS.1 as f64),
        Entry::named("count-k").within(Count::WIDTHS.0 as f64, Count::WIDTHS.1 as f64),
    ];
}

fn write_table<S: Serializer>(table: &[[i32; TOKENS]; ROWS], to: S) -> Result<S::Ok, S::Error> {
    table.as_flattened().serialize(to)
}

fn read_table<'de, D: Deserializer<'de>>(from: D) -> Result<[[i32; TOKENS]; ROWS], D::Error> {
    let cells = Vec::<i32>::deserialize(from)?;
    match cells.len() {
        CELLS => Ok(array::from_fn(|row| {
            array::from_fn(|column| cells[row * TOKENS + column])
        })),
        count => Err(D::Error::invalid_length(count, &"all cells of the table")),
    }
}

/// Reads the forced prefix: tokens of the table, at most as many as there are steps.
fn prefix<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<usize>, D::Error> {
    let tokens = Vec::deserialize(from)?;
    let fits = |tokens: &[usize]| {
        tokens.len() <= ROWS - LECTURE_PREFIXES.len() && tokens.iter().all(|&token| token < TOKENS)
    };
    match fits(&tokens) {
        true => Ok(tokens),
        false => Err(D::Error::custom("no prefix of tokens of the table")),
    }
}

fn hundredths(value: usize) -> f64 {
    value as f64 / 100.0
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn search()(
            table in prop::array::uniform6(prop::array::uniform4(SearchLab::CELLS.0..=SearchLab::CELLS.1)),
            method in choice::<Method>(),
            (ending, all) in (choice::<Ending>(), any::<bool>()),
            (width, alpha) in (1usize..=5, 0usize..=200),
            prefix in prop::collection::vec(0..TOKENS, 0..=4),
            (temperature, top_k, top_p) in (10usize..=300, 1usize..=4, 5usize..=100),
            (draws, seed) in (1usize..=1000, any::<u32>()),
            (vocabulary, length, beam) in (2u64..=1_000_000, 1u32..=1000, 1u64..=1000),
        ) -> SearchLab {
            let count = Count { vocabulary, length, width: beam };
            SearchLab {
                table, method, ending, all, width, alpha, prefix, temperature, top_k, top_p, draws, seed, count,
            }
        }
    }

    #[test]
    fn the_lectures_table_is_a_model() {
        assert_eq!(SearchLab::default().model().unwrap().vocabulary(), 4);
        let mut lab = SearchLab::default();
        lab.set((0, 0), 60);
        assert!(matches!(lab.model(), Err(TableFault::Sum { .. })));
        lab.set((0, 1), 10);
        assert!(lab.model().is_ok());
    }

    #[test]
    fn a_cell_that_is_not_there_or_out_of_bounds_stays() {
        let mut lab = SearchLab::default();
        lab.set((6, 0), 10);
        lab.set((0, 4), 10);
        lab.set((0, 0), 101);
        assert_eq!(lab, SearchLab::default());
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let address = "search-table=1.2.3&search-k=6&search-alpha=201&search-prefix=0.4&search-t=0&search-top-k=0&\
                       search-top-p=101&search-draws=0&count-n=1&count-t=0&count-k=0";
        assert_eq!(SearchLab::read(&Reader::new(address)), SearchLab::default());
        let long = SearchLab::read(&Reader::new("search-prefix=0.1.2.0.1"));
        assert!(long.prefix.is_empty());
    }

    #[test]
    fn hundredths_are_what_is_computed_with() {
        let lab = SearchLab {
            temperature: 50,
            top_k: 3,
            top_p: 90,
            ..SearchLab::default()
        };
        let sampling = lab.sampling();
        assert_eq!(
            (sampling.temperature, sampling.top_k, sampling.top_p),
            (0.5, 3, 0.9)
        );
        assert_eq!(lab.alpha(), 0.75);
    }
}
