//! Parameters of chapter "search".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};
use attention_trace::search::{
    Ending, LECTURE, LECTURE_PREFIXES, Sampling, TableFault, TableModel, lecture_table,
};

/// The number of tokens in the table.
const TOKENS: usize = LECTURE[0].len();
/// The number of rows in the table: a row for each step, and rows for some prefixes.
const ROWS: usize = LECTURE.len();
/// The number of cells in the table.
const CELLS: usize = ROWS * TOKENS;

/// A method of choosing the next token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    const VALUES: &'static [(Self, &'static str)] = &[
        (Method::Greedy, "greedy"),
        (Method::Exhaustive, "exhaustive"),
        (Method::Beam, "beam"),
        (Method::Sampling, "sampling"),
    ];
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchLab {
    /// The table in hundredths, as it was typed: its rows need not sum to one.
    pub table: [[i32; TOKENS]; ROWS],
    /// The method of choosing the next token.
    pub method: Method,
    /// The definition of a sequence for exhaustive search.
    pub ending: Ending,
    /// True if all sequences are listed.
    pub all: bool,
    /// The number of prefixes that the beam keeps.
    pub width: usize,
    /// The exponent α of the length, in hundredths.
    pub alpha: usize,
    /// The tokens of the prefix that the beam is forced to start with.
    pub prefix: Vec<usize>,
    /// The temperature, in hundredths.
    pub temperature: usize,
    /// The largest number of tokens to draw from.
    pub top_k: usize,
    /// The share that the tokens have together that are drawn from, in hundredths.
    pub top_p: usize,
    /// The number of sequences drawn.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u32,
    /// The sizes for counting costs.
    pub count: Count,
}

/// The sizes whose costs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number of tokens in the vocabulary, `n`.
    pub vocabulary: u64,
    /// The number of steps, `T`.
    pub length: u32,
    /// The number of prefixes that the beam keeps, `k`.
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

    /// Returns the settings of sampling.
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

    fn write(&self, fragment: &mut Writer) {
        let standard = SearchLab::default();
        if self.table != standard.table {
            fragment.list("search-table", self.table.as_flattened());
        }
        fragment.choice("search-by", self.method, standard.method);
        fragment.choice("search-until", self.ending, standard.ending);
        fragment.number("search-all", u8::from(self.all), 0);
        fragment.number("search-k", self.width, standard.width);
        fragment.number("search-alpha", self.alpha, standard.alpha);
        fragment.list("search-prefix", &self.prefix);
        fragment.number("search-t", self.temperature, standard.temperature);
        fragment.number("search-top-k", self.top_k, standard.top_k);
        fragment.number("search-top-p", self.top_p, standard.top_p);
        fragment.number("search-draws", self.draws, standard.draws);
        fragment.number("search-seed", self.seed, standard.seed);
        let (count, lecture) = (self.count, Count::LECTURE);
        fragment.number("count-n", count.vocabulary, lecture.vocabulary);
        fragment.number("count-t", count.length, lecture.length);
        fragment.number("count-k", count.width, lecture.width);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = SearchLab::default();
        let cells: Option<[i32; CELLS]> = fragment.array("search-table", Self::CELLS);
        let table = cells.map(|cells| {
            std::array::from_fn(|row| std::array::from_fn(|column| cells[row * TOKENS + column]))
        });
        SearchLab {
            table: table.unwrap_or(standard.table),
            method: fragment.choice("search-by").unwrap_or(standard.method),
            ending: fragment.choice("search-until").unwrap_or(standard.ending),
            all: fragment.flag("search-all").unwrap_or_default(),
            width: fragment
                .within("search-k", Self::WIDTHS)
                .unwrap_or(standard.width),
            alpha: fragment
                .within("search-alpha", Self::ALPHAS)
                .unwrap_or(standard.alpha),
            prefix: prefix(fragment),
            temperature: fragment
                .within("search-t", Self::TEMPERATURES)
                .unwrap_or(standard.temperature),
            top_k: fragment
                .within("search-top-k", Self::TOP_K)
                .unwrap_or(standard.top_k),
            top_p: fragment
                .within("search-top-p", Self::TOP_P)
                .unwrap_or(standard.top_p),
            draws: fragment
                .within("search-draws", Self::DRAWS)
                .unwrap_or(standard.draws),
            seed: fragment.number("search-seed").unwrap_or(standard.seed),
            count: Count {
                vocabulary: fragment
                    .within("count-n", Count::VOCABULARIES)
                    .unwrap_or(Count::LECTURE.vocabulary),
                length: fragment
                    .within("count-t", Count::LENGTHS)
                    .unwrap_or(Count::LECTURE.length),
                width: fragment
                    .within("count-k", Count::WIDTHS)
                    .unwrap_or(Count::LECTURE.width),
            },
        }
    }
}

/// Returns the forced prefix: tokens of the table, at most as many as there are steps.
fn prefix(fragment: &Reader) -> Vec<usize> {
    let fits = |tokens: &[usize]| {
        tokens.len() <= ROWS - LECTURE_PREFIXES.len() && tokens.iter().all(|&token| token < TOKENS)
    };
    fragment.list_if("search-prefix", fits).unwrap_or_default()
}

fn hundredths(value: usize) -> f64 {
    value as f64 / 100.0
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

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
