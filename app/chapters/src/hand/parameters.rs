//! Parameters of chapter "hand".

use serde::{Deserialize, Serialize, Serializer};
mod cells;

use attention_core::state::{Counted, Entry, Lacking, Parameters, Reader, flat};
use std::collections::BTreeMap;

use attention_trace::{
    Array,
    lessons::{HandInput, WorkedExample},
};

pub use self::cells::{HandCell, HandMatrix};

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Hand {
    /// The example that it begins with.
    #[serde(rename = "hand-of", with = "flat::choice")]
    pub example: WorkedExample,
    /// The cells that differ from the example's, in hundredths.
    #[serde(
        rename = "hand-cells",
        serialize_with = "write_cells",
        skip_deserializing
    )]
    cells: BTreeMap<HandCell, i32>,
    /// The word whose attention is followed, from 0; the lecture's where none is chosen, the last where there are fewer.
    #[serde(rename = "hand-query")]
    pub query: Option<usize>,
    /// True if scores are divided by `√d_k`.
    #[serde(rename = "hand-unscaled", with = "flat::negated")]
    pub scaled: bool,
    /// `d_k`; the example's where none is chosen.
    #[serde(rename = "hand-width")]
    pub key_width: Option<usize>,
    /// True if the sentence in which "she" stands is compared with its other form.
    #[serde(rename = "hand-both")]
    pub both: bool,
}

impl Default for Hand {
    fn default() -> Self {
        Hand::of(WorkedExample::default())
    }
}

impl Hand {
    /// The smallest and the largest number of a cell, in hundredths.
    pub const CELLS: (i32, i32) = (-9999, 9999);
    /// The smallest and the largest `d_k`.
    pub const KEY_WIDTHS: (usize, usize) = (1, 512);

    /// Returns an example as the lecture has it.
    pub fn of(example: WorkedExample) -> Self {
        Hand {
            example,
            query: None,
            scaled: true,
            key_width: None,
            both: false,
            cells: BTreeMap::new(),
        }
    }

    /// The word whose attention is followed, of that many.
    pub fn query(&self, words: usize) -> usize {
        let query = self.query.unwrap_or(self.example.query());
        query.min(words.saturating_sub(1))
    }

    /// `d_k`, by whose root scores are divided.
    pub fn key_width(&self) -> usize {
        self.key_width.unwrap_or(self.example.key_width())
    }

    /// True if any cell differs from the example's.
    pub fn is_changed(&self) -> bool {
        !self.cells.is_empty()
    }

    /// True if a cell differs from the example's.
    pub fn has_changed(&self, cell: HandCell) -> bool {
        self.cells.contains_key(&cell)
    }

    /// The example's numbers in every cell again.
    pub fn reset(&mut self) {
        self.cells.clear();
    }

    /// Gives a cell a number, in hundredths; ignored where the example has no such cell or the number is out of bounds.
    pub fn set(&mut self, cell: HandCell, hundredths: i32) {
        match Self::own(self.example, cell, hundredths) {
            None => {}
            Some(own) if own == hundredths => {
                self.cells.remove(&cell);
            }
            Some(_) => {
                self.cells.insert(cell, hundredths);
            }
        }
    }

    /// The example's own number in a cell, in hundredths; `None` where it has no such cell or `hundredths` is out of
    /// bounds.
    fn own(example: WorkedExample, cell: HandCell, hundredths: i32) -> Option<i32> {
        let (low, high) = Self::CELLS;
        let own = cell.in_example(example)?;
        (low..=high).contains(&hundredths).then_some(own)
    }

    /// Returns the example's words and matrices, with the visitor's cells.
    pub fn input(&self) -> HandInput {
        let mut input = self.example.input();
        for (&cell, &hundredths) in &self.cells {
            let array = cell.matrix.of_mut(&mut input);
            if let Some(place) = cell.place(array) {
                array.data[place] = hundredths as f32 / 100.0;
            }
        }
        input.scale = match self.scaled {
            true => 1.0 / (self.key_width() as f32).sqrt(),
            false => 1.0,
        };
        input
    }

    /// A matrix that is computed with.
    pub fn matrix(&self, matrix: HandMatrix) -> Array {
        matrix.of(&self.input()).clone()
    }
}

impl Parameters for Hand {
    const CHAPTER: &'static str = "hand";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("hand-cells").counting(Counted::Groups(&[false, true, true, false])),
        Entry::named("hand-query").counting(Counted::All),
        Entry::named("hand-width").within(Self::KEY_WIDTHS.0 as f64, Self::KEY_WIDTHS.1 as f64),
    ];

    fn read(fragment: &Reader) -> Self {
        let mut hand: Hand = flat::read(fragment, Self::ENTRIES);
        let example = hand.example;
        let cells = fragment.groups("hand-cells", |words| {
            HandCell::read(words)
                .filter(|&(cell, hundredths)| Self::own(example, cell, hundredths).is_some())
        });
        for (cell, hundredths) in cells {
            hand.set(cell, hundredths);
        }
        hand
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        let words = self.input().x.shape.first().copied();
        lacking.index("hand-query", words.unwrap_or_default());
    }
}

fn write_cells<S: Serializer>(cells: &BTreeMap<HandCell, i32>, to: S) -> Result<S::Ok, S::Error> {
    let cells = cells.iter();
    to.collect_seq(cells.map(|(cell, &hundredths)| cell.spell(hundredths)))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use attention_core::state::AddressValue;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn hand()(
            example in choice::<WorkedExample>(),
            query in proptest::option::of(any::<usize>()),
            (scaled, both) in any::<(bool, bool)>(),
            key_width in proptest::option::of(Hand::KEY_WIDTHS.0..=Hand::KEY_WIDTHS.1),
            cells in prop::collection::vec((super::cells::tests::cell(), -11_000..11_000i32), 0..8),
        ) -> Hand {
            let mut hand = Hand { query, scaled, key_width, both, ..Hand::of(example) };
            cells.into_iter().for_each(|(cell, hundredths)| hand.set(cell, hundredths));
            hand
        }
    }

    #[test]
    fn only_changed_cells_are_spelled_and_what_cannot_be_is_ignored() {
        let address =
            "hand-cells=x.3.0.450.q.0.1.-20.x.3.1.500.x.9.0.1.y.0.0.1.k.0.0.99999&hand-width=0";
        let view = crate::testing::view(address);
        // x₄ is 5 already; there is no tenth row, no matrix y, and 999.99 is out of bounds.
        assert_eq!(view.to_fragment(), "v=2&hand-cells=x.4.1.450.q.1.2.-20");
        let input = view.chapters.of::<Hand>().input();
        assert_eq!(input.x.row(&[3]), Some(&[4.5, 5.0, 5.0, 5.0, 5.0][..]));
        assert_eq!(input.w_q.row(&[0]), Some(&[0.1, -0.2, 0.0, 0.2, 0.0][..]));
    }

    #[test]
    fn the_lectures_numbers_are_multiples_of_a_hundredth() {
        for (example, _) in WorkedExample::values() {
            let input = example.input();
            for matrix in HandMatrix::ALL {
                for &value in &matrix.of(&input).data {
                    assert_eq!((value * 100.0).round() / 100.0, value);
                }
            }
        }
    }

    #[test]
    fn a_cell_with_the_lectures_number_has_not_changed() {
        let cell = HandCell {
            matrix: HandMatrix::Query,
            row: 0,
            column: 0,
        };
        let mut hand = Hand::default();
        hand.set(cell, 70);
        assert!(hand.has_changed(cell) && hand.is_changed());
        hand.set(cell, 10);
        assert_eq!(hand, Hand::default());
    }

    #[test]
    fn scores_are_divided_by_the_root_of_the_width() {
        let mut hand = Hand::of(WorkedExample::ThinkingMachines);
        assert_eq!(hand.input().scale, 0.125);
        hand.key_width = Some(4);
        assert_eq!(hand.input().scale, 0.5);
        hand.scaled = false;
        assert_eq!(hand.input().scale, 1.0);
    }
}
