//! The cells of the matrices that can be changed.

use attention_core::state::{AddressValue, flat};
use attention_trace::{
    Array,
    lessons::{HandInput, WorkedExample},
};
use serde::{Deserialize, Serialize};

/// A matrix that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandMatrix {
    /// The embeddings of the words.
    #[serde(rename = "x")]
    Words,
    /// The matrix `W^Q` of the queries.
    #[serde(rename = "q")]
    Query,
    /// The matrix `W^K` of the keys.
    #[serde(rename = "k")]
    Key,
    /// The matrix `W^V` of the values.
    #[serde(rename = "v")]
    Value,
}

/// A cell of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandCell {
    pub matrix: HandMatrix,
    /// The row, from 0.
    pub row: usize,
    /// The column, from 0.
    pub column: usize,
}

impl AddressValue for HandMatrix {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl HandMatrix {
    /// All matrices, in the order in which they are used.
    pub const ALL: [HandMatrix; 4] = [
        HandMatrix::Words,
        HandMatrix::Query,
        HandMatrix::Key,
        HandMatrix::Value,
    ];

    pub(super) fn of(self, input: &HandInput) -> &Array {
        match self {
            HandMatrix::Words => &input.x,
            HandMatrix::Query => &input.w_q,
            HandMatrix::Key => &input.w_k,
            HandMatrix::Value => &input.w_v,
        }
    }

    pub(super) fn of_mut(self, input: &mut HandInput) -> &mut Array {
        match self {
            HandMatrix::Words => &mut input.x,
            HandMatrix::Query => &mut input.w_q,
            HandMatrix::Key => &mut input.w_k,
            HandMatrix::Value => &mut input.w_v,
        }
    }
}

impl HandCell {
    /// Returns the index of the cell in an array; `None` if it is outside.
    pub(super) fn place(self, array: &Array) -> Option<usize> {
        let &[rows, columns] = array.shape.as_slice() else {
            return None;
        };
        (self.row < rows && self.column < columns).then_some(self.row * columns + self.column)
    }

    /// Returns the cell's number in an example, in hundredths; `None` if the matrix is smaller.
    pub(super) fn in_example(self, example: WorkedExample) -> Option<i32> {
        let input = example.input();
        let array = self.matrix.of(&input);
        Some((array.data[self.place(array)?] * 100.0).round() as i32)
    }

    /// A cell and its number out of the four words that spell them.
    pub(super) fn read([matrix, row, column, hundredths]: [&str; 4]) -> Option<(Self, i32)> {
        let cell = HandCell {
            matrix: HandMatrix::from_address_value(matrix)?,
            row: row.parse().ok()?,
            column: column.parse().ok()?,
        };
        Some((cell, hundredths.parse().ok()?))
    }

    /// The words that spell a cell and its number.
    pub(super) fn spell(self, hundredths: i32) -> String {
        let matrix = self.matrix.address_value();
        format!("{matrix}.{}.{}.{hundredths}", self.row, self.column)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn cell()(matrix in choice::<HandMatrix>(), row in 0usize..6, column in 0usize..6) -> HandCell {
            HandCell { matrix, row, column }
        }
    }

    proptest! {
        #[test]
        fn a_cell_survives_its_spelling(cell in cell(), hundredths in any::<i32>()) {
            let spelled = cell.spell(hundredths);
            let words: Vec<&str> = spelled.split('.').collect();
            prop_assert_eq!(HandCell::read(words.try_into().unwrap()), Some((cell, hundredths)));
        }
    }
}
