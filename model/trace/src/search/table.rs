//! A model of the next token that is a table: a row of probabilities for each step, and rows of their own for some
//! beginnings.

use std::{collections::BTreeMap, fmt};

use thiserror::Error;

/// The largest allowed difference of a row's sum from one.
const TOLERANCE: f64 = 1e-6;

/// The lecture's rows in hundredths, over A, B, C and the end: four steps, then those after A C and after A C B.
pub const LECTURE: [[i32; 4]; 6] = [
    [50, 20, 20, 10],
    [10, 40, 30, 20],
    [20, 20, 40, 20],
    [0, 20, 20, 60],
    [10, 60, 20, 10],
    [10, 20, 10, 60],
];

/// The beginnings that have the last rows of [`LECTURE`]: A C, and A C B.
pub const LECTURE_PREFIXES: [&[usize]; 2] = [&[0, 2], &[0, 2, 1]];

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRow {
    /// The row of a step, from 0.
    Step(usize),
    /// The row after a beginning.
    After(Vec<usize>),
}

impl fmt::Display for TableRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableRow::Step(step) => write!(f, "the row of step {}", step + 1),
            TableRow::After(prefix) => write!(f, "the row after {prefix:?}"),
        }
    }
}

/// A reason why rows are no model.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TableFault {
    /// There is no step, or a row has another number of tokens than the first.
    #[error("{row} has {width} tokens, not {expected}")]
    Width {
        /// The row with the fault.
        row: TableRow,
        /// The number of its tokens.
        width: usize,
        /// The number of tokens in the first row; at least one.
        expected: usize,
    },
    /// A number is negative, or none.
    #[error("{row} has {value}, which is no probability, for token {token}")]
    NotAProbability {
        /// The row with the fault.
        row: TableRow,
        /// The index of the token.
        token: usize,
        /// The value in the table.
        value: f64,
    },
    /// A row does not sum to one.
    #[error("{row} sums to {sum}, not to 1")]
    Sum {
        /// The row with the fault.
        row: TableRow,
        /// The sum of the row.
        sum: f64,
    },
}

/// The table. Its last token is the end of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct TableModel {
    steps: Vec<Vec<f64>>,
    after: BTreeMap<Vec<usize>, Vec<f64>>,
}

impl Default for TableModel {
    /// Returns the table of the lecture.
    fn default() -> Self {
        let (steps, after) = in_hundredths(&LECTURE);
        TableModel {
            steps,
            after: after.into_iter().collect(),
        }
    }
}

impl TableModel {
    /// A row for each step, `[steps][tokens]`, and those after some beginnings.
    ///
    /// # Errors
    /// If a row has another number of tokens than the others, has what is no probability, or does not sum to one.
    pub fn new(
        steps: Vec<Vec<f64>>,
        after: impl IntoIterator<Item = (Vec<usize>, Vec<f64>)>,
    ) -> Result<Self, TableFault> {
        let expected = steps.first().map_or(1, |row| row.len().max(1));
        if steps.is_empty() {
            let row = TableRow::Step(0);
            return Err(TableFault::Width {
                row,
                width: 0,
                expected,
            });
        }
        for (step, values) in steps.iter().enumerate() {
            check(TableRow::Step(step), values, expected)?;
        }
        let mut rows = BTreeMap::new();
        for (prefix, values) in after {
            check(TableRow::After(prefix.clone()), &values, expected)?;
            rows.insert(prefix, values);
        }
        Ok(TableModel { steps, after: rows })
    }

    /// Returns the number of tokens, the end included.
    pub fn vocabulary(&self) -> usize {
        self.steps[0].len()
    }

    /// The most tokens of a sequence.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The token that ends a sequence.
    pub fn end(&self) -> usize {
        self.vocabulary() - 1
    }

    /// The probabilities of what follows `prefix`: its own row where it has one, else its step's. `None` where there is
    /// no such step.
    pub fn row(&self, prefix: &[usize]) -> Option<&[f64]> {
        let step = self.steps.get(prefix.len());
        self.after.get(prefix).or(step).map(Vec::as_slice)
    }

    /// True if a sequence is complete: it has ended, or there is no further step.
    pub fn is_over(&self, tokens: &[usize]) -> bool {
        tokens.last() == Some(&self.end()) || tokens.len() >= self.steps()
    }
}

/// The lecture's table with rows of one's own, in hundredths, in the order of [`LECTURE`].
///
/// # Errors
/// If a row is no probabilities.
pub fn lecture_table(rows: &[[i32; 4]; 6]) -> Result<TableModel, TableFault> {
    let (steps, after) = in_hundredths(rows);
    TableModel::new(steps, after)
}

/// A row for each step, and those after the lecture's beginnings.
type Rows = (Vec<Vec<f64>>, Vec<(Vec<usize>, Vec<f64>)>);

fn in_hundredths(rows: &[[i32; 4]; 6]) -> Rows {
    let row = |row: &[i32; 4]| row.map(|hundredths| f64::from(hundredths) / 100.0).to_vec();
    let (steps, after) = rows.split_at(rows.len() - LECTURE_PREFIXES.len());
    let named = LECTURE_PREFIXES.iter().zip(after);
    (
        steps.iter().map(row).collect(),
        named
            .map(|(prefix, values)| (prefix.to_vec(), row(values)))
            .collect(),
    )
}

fn check(row: TableRow, values: &[f64], expected: usize) -> Result<(), TableFault> {
    if values.len() != expected {
        let width = values.len();
        return Err(TableFault::Width {
            row,
            width,
            expected,
        });
    }
    let wrong = |value: &f64| !value.is_finite() || *value < 0.0;
    if let Some(token) = values.iter().position(wrong) {
        let value = values[token];
        return Err(TableFault::NotAProbability { row, token, value });
    }
    let sum: f64 = values.iter().sum();
    match (sum - 1.0).abs() <= TOLERANCE {
        true => Ok(()),
        false => Err(TableFault::Sum { row, sum }),
    }
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the table of the lecture.
    pub fn lecture() -> TableModel {
        lecture_table(&LECTURE).unwrap()
    }

    /// A row over four tokens that sums to one.
    fn row() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(1u32..100, 4).prop_map(|parts| {
            let sum: u32 = parts.iter().sum();
            let share = |part: u32| f64::from(part) / f64::from(sum);
            parts.into_iter().map(share).collect()
        })
    }

    prop_compose! {
        /// A table of four tokens and up to five steps, with rows after two beginnings.
        pub fn tables()(
            steps in prop::collection::vec(row(), 1..6),
            after in prop::array::uniform2(row()),
        ) -> TableModel {
            let prefixes = LECTURE_PREFIXES.map(<[usize]>::to_vec);
            TableModel::new(steps, prefixes.into_iter().zip(after)).unwrap()
        }
    }

    #[test]
    fn a_beginning_that_is_not_named_has_its_steps_row() {
        let table = lecture();
        assert_eq!(table.row(&[]), Some(&[0.5, 0.2, 0.2, 0.1][..]));
        assert_eq!(table.row(&[0, 1]), Some(&[0.2, 0.2, 0.4, 0.2][..]));
        assert_eq!(table.row(&[0, 2]), Some(&[0.1, 0.6, 0.2, 0.1][..]));
        assert_eq!(table.row(&[2, 2]), Some(&[0.2, 0.2, 0.4, 0.2][..]));
        assert_eq!(table.row(&[0, 2, 1]), Some(&[0.1, 0.2, 0.1, 0.6][..]));
        assert_eq!(table.row(&[0, 0, 0, 0]), None);
    }

    #[test]
    fn the_lectures_table_is_the_default() {
        assert_eq!(lecture(), TableModel::default());
    }

    #[test]
    fn a_row_that_is_no_distribution_says_why() {
        let mut rows = LECTURE;
        rows[4] = [10, 60, 20, 20];
        let fault = lecture_table(&rows).unwrap_err();
        assert!(
            matches!(&fault, TableFault::Sum { row: TableRow::After(prefix), sum }
                if prefix == &[0, 2] && (sum - 1.1).abs() < 1e-9),
            "{fault}"
        );
        rows[4] = [-10, 60, 20, 30];
        let fault = lecture_table(&rows).unwrap_err();
        assert!(
            matches!(fault, TableFault::NotAProbability { token: 0, .. }),
            "{fault}"
        );
    }

    #[test]
    fn rows_have_the_same_tokens_and_there_is_one_at_least() {
        let fault = TableModel::new(vec![vec![1.0, 0.0], vec![1.0]], []).unwrap_err();
        assert_eq!(fault.to_string(), "the row of step 2 has 1 tokens, not 2");
        let nothing = TableModel::new(vec![], []).unwrap_err();
        assert!(matches!(nothing, TableFault::Width { width: 0, .. }));
        let empty = TableModel::new(vec![vec![]], []).unwrap_err();
        assert!(matches!(empty, TableFault::Width { width: 0, .. }));
    }
}
