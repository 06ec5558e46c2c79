//! Arrays and parameters as the chapter's figures read them.

use std::sync::Arc;

use attention_trace::Array;
use leptos::prelude::*;

use super::context::FollowContext;
use attention_core::{engine::Part, widgets::matrix::Matrix};

/// A matrix of the trace or the checkpoint, once it is loaded.
#[derive(Clone, Copy)]
pub struct Numbers {
    context: FollowContext,
    part: Memo<Option<Part>>,
}

impl Numbers {
    /// A part of the context's trace or checkpoint.
    pub fn new(context: FollowContext, part: Memo<Option<Part>>) -> Self {
        Numbers { context, part }
    }

    /// The sum of two arrays, added as the model adds them, where it records the two alone.
    pub fn plus(self, other: Numbers) -> Numbers {
        let part = Memo::new(move |_| {
            let (one, other) = (self.part.get()?, other.part.get()?);
            Some(Part(Arc::new(sum(&one.0, &other.0)?)))
        });
        Numbers { part, ..self }
    }

    /// Reads it; `None` until it is loaded.
    pub fn with<T>(self, read: impl FnOnce(&Array) -> T) -> Option<T> {
        self.part
            .with(|part| part.as_ref().map(|part| read(&part.0)))
    }

    pub fn row(self, row: usize) -> Option<Vec<f32>> {
        self.with(|array| array.row(&[row]).map(<[f32]>::to_vec))?
    }

    /// The row of the token that asks.
    pub fn query_row(self) -> Option<Vec<f32>> {
        self.row(self.context.query())
    }

    pub fn value(self, row: usize, column: usize) -> Option<f32> {
        self.with(|array| array.row(&[row])?.get(column).copied())?
    }

    /// Returns a number of the row of the chosen query.
    pub fn query_value(self, column: usize) -> Option<f32> {
        self.value(self.context.query(), column)
    }

    /// Returns the whole array as a matrix without names.
    pub fn matrix(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            self.with(|array| {
                let columns = array.shape.last().copied().unwrap_or(1);
                Matrix::new(array.data.as_slice(), columns)
            })
        })
    }

    /// Returns the whole array as a matrix, a row for each query.
    pub fn by_query(self) -> Signal<Option<Matrix>> {
        let matrix = self.matrix();
        Signal::derive(move || Some(matrix.get()?.with_rows(self.context.query_labels())))
    }

    /// Returns the whole array as a matrix, a row for each key.
    pub fn by_key(self) -> Signal<Option<Matrix>> {
        let matrix = self.matrix();
        Signal::derive(move || Some(matrix.get()?.with_rows(self.context.key_labels())))
    }

    /// The row of the token that asks, by its name.
    pub fn of_query(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let row = self.query_row()?;
            let columns = row.len();
            let name = self.context.query_label()?;
            Some(Matrix::new(row, columns).with_rows(vec![name]))
        })
    }

    /// The row of the token that asks, a column for each token that answers.
    pub fn over_keys(self) -> Signal<Option<Matrix>> {
        let matrix = self.of_query();
        Signal::derive(move || Some(matrix.get()?.with_columns(self.context.key_labels())))
    }
}

/// Number by number; `None` where the shapes differ.
fn sum(one: &Array, other: &Array) -> Option<Array> {
    let pairs = one.data.iter().zip(&other.data);
    (one.shape == other.shape).then(|| Array {
        shape: one.shape.clone(),
        data: pairs.map(|(one, other)| one + other).collect(),
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
    fn arrays_of_one_shape_are_added_number_by_number() {
        let scaled = array([2, 2], &[1.0, 2.0, 3.0, f32::NEG_INFINITY]);
        let bias = array([2, 2], &[0.0, -0.5, -0.25, 1.0]);
        let expected = array([2, 2], &[1.0, 1.5, 2.75, f32::NEG_INFINITY]);
        assert_eq!(sum(&scaled, &bias), Some(expected));
        let turned = array([1, 4], &bias.data);
        assert_eq!(sum(&scaled, &turned), None);
    }
}
