//! A matrix as plain data.

use std::sync::Arc;

/// A matrix as a figure has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// The cells' values, row-major.
    pub values: Arc<[f32]>,
    pub columns: usize,
    /// The names of the rows; empty where rows have no names.
    pub row_labels: Arc<[String]>,
    /// The names of the columns; empty where columns have no names.
    pub column_labels: Arc<[String]>,
}

impl Matrix {
    /// A matrix whose rows and columns have no names.
    pub fn new(values: impl Into<Arc<[f32]>>, columns: usize) -> Self {
        Matrix {
            values: values.into(),
            columns,
            ..Matrix::default()
        }
    }

    /// The same with names for its rows.
    pub fn with_rows(self, labels: impl Into<Arc<[String]>>) -> Self {
        Matrix {
            row_labels: labels.into(),
            ..self
        }
    }

    /// The same with names for its columns.
    pub fn with_columns(self, labels: impl Into<Arc<[String]>>) -> Self {
        Matrix {
            column_labels: labels.into(),
            ..self
        }
    }

    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Returns the value of a cell, if there is one.
    pub fn value(&self, row: usize, column: usize) -> Option<f32> {
        let inside = column < self.columns;
        self.values
            .get(row * self.columns + column)
            .copied()
            .filter(|_| inside)
    }

    pub fn row(&self, row: usize) -> &[f32] {
        let start = row * self.columns;
        self.values
            .get(start..start + self.columns)
            .unwrap_or_default()
    }

    /// The cell that many rows and columns from another, held inside; the first where there is none to
    /// move from.
    pub(super) fn moved(
        &self,
        from: Option<(usize, usize)>,
        rows: isize,
        columns: isize,
    ) -> (usize, usize) {
        let (row, column) = from.map_or((0, 0), |(row, column)| {
            (
                row.saturating_add_signed(rows),
                column.saturating_add_signed(columns),
            )
        });
        (
            row.min(self.rows().saturating_sub(1)),
            column.min(self.columns.saturating_sub(1)),
        )
    }
}

/// A row and a column that stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The row, in the colour of queries.
    pub row: Option<usize>,
    /// The column, in the colour of keys.
    pub column: Option<usize>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_and_values_are_found() {
        let matrix = Matrix::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3);
        assert_eq!(matrix.rows(), 2);
        assert_eq!(matrix.row(1), [4.0, 5.0, 6.0]);
        assert_eq!(matrix.value(0, 2), Some(3.0));
        assert_eq!(matrix.value(0, 3), None);
        assert_eq!(matrix.value(2, 0), None);
    }

    proptest! {
        #[test]
        fn moving_stays_inside(
            row in 0usize..9, column in 0usize..9, rows in -9isize..9, columns in -9isize..9
        ) {
            let matrix = Matrix::new(vec![0.0; 12], 4);
            let (row, column) = matrix.moved(Some((row, column)), rows, columns);
            prop_assert!(matrix.value(row, column).is_some());
        }
    }
}
