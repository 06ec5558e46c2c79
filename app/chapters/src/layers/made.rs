//! Parts of the chosen head's arrays, small enough to show every number, with explanations of their cells.

use std::sync::Arc;

use attention_trace::{Array, Quantity};
use leptos::prelude::*;

use crate::follow::{Derivation, Operation, Products};
use attention_core::{engine::Part, selection::SelfAttention, widgets::matrix::Matrix};

/// The number of the values' features on screen.
pub const FEATURES: usize = 4;

/// Returns the first rows and columns of a matrix; `None` if it has fewer.
fn corner(array: &Array, rows: usize, columns: usize) -> Option<Array> {
    let mut data = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        data.extend_from_slice(array.row(&[row])?.get(..columns)?);
    }
    Some(Array {
        shape: vec![rows, columns],
        data,
    })
}

/// The chosen head's weights over the tokens, `[n, n]`.
pub fn weights() -> Memo<Option<Arc<Array>>> {
    let context = SelfAttention::expect();
    let part = context.part(|place| place.head.excerpt(Quantity::Pattern));
    Memo::new(move |_| {
        let n = context.names().len();
        let Part(map) = part.get()?;
        corner(&map, n, n).map(Arc::new)
    })
}

/// The first features of the chosen head's values, `[n, 4]`, or as many as it has.
pub fn values() -> Memo<Option<Arc<Array>>> {
    let context = SelfAttention::expect();
    let part = context.part(|place| place.head.excerpt(Quantity::Value));
    Memo::new(move |_| {
        let n = context.names().len();
        let Part(map) = part.get()?;
        let features = FEATURES.min(*map.shape.last()?);
        corner(&map, n, features).map(Arc::new)
    })
}

/// Returns a matrix from an array, with a name for each of its rows; `None` if the number of names differs, as while
/// a sentence's numbers are still loading.
pub fn matrix(array: &Array, rows: Arc<[String]>) -> Option<Matrix> {
    let &[count, columns] = array.shape.as_slice() else {
        return None;
    };
    let matrix = Matrix::new(array.data.as_slice(), columns);
    (count == rows.len()).then(|| matrix.with_rows(rows))
}

/// A square matrix over the tokens.
pub fn map_matrix(array: &Array, names: Arc<[String]>) -> Option<Matrix> {
    Some(matrix(array, names.clone())?.with_columns(names))
}

/// A number that is the product of a row of weights and a column of values.
pub fn mixed(
    names: (&str, String),
    (row, column): (usize, usize),
    weights: &Array,
    values: &Array,
    result: &Array,
) -> Option<Derivation> {
    let of_column: Option<Vec<f32>> = (0..values.shape[0])
        .map(|token| values.row(&[token])?.get(column).copied())
        .collect();
    let (symbol, name) = names;
    let products = Products::new((symbol, weights.row(&[row])?), ("v", &of_column?), None);
    Some(Derivation {
        place: vec![name, (column + 1).to_string()],
        value: *result.row(&[row])?.get(column)?,
        operation: Operation::Products(products),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: [usize; 2], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    #[test]
    fn a_corner_is_there_or_not() {
        let whole = array([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let found = corner(&whole, 2, 2).unwrap();
        assert_eq!(found, array([2, 2], &[1.0, 2.0, 4.0, 5.0]));
        assert_eq!(corner(&whole, 3, 2), None);
        assert_eq!(corner(&whole, 2, 4), None);
    }

    #[test]
    fn a_matrix_has_a_name_for_each_row() {
        let names: Arc<[String]> = ["Je", "suis"].map(str::to_owned).into();
        let square = array([2, 2], &[0.25, 0.75, 1.0, 0.0]);
        let made = map_matrix(&square, names.clone()).unwrap();
        assert_eq!(
            (made.row_labels, made.column_labels),
            (names.clone(), names.clone())
        );
        assert_eq!(matrix(&array([1, 2], &[1.0, 2.0]), names), None);
    }

    #[test]
    fn a_mixed_number_is_a_sum_of_products() {
        let weights = array([1, 2], &[0.25, 0.75]);
        let values = array([2, 2], &[4.0, 0.0, 8.0, 1.0]);
        let result = array([1, 2], &[7.0, 0.75]);
        let made = mixed(("a", "Je".to_owned()), (0, 0), &weights, &values, &result).unwrap();
        let Operation::Products(products) = made.operation else {
            panic!("{made:?}")
        };
        assert_eq!((made.value, products.total()), (7.0, 7.0));
    }
}
