//! Descriptions of cells that are not computed from other numbers on screen.

use leptos::prelude::*;

use super::data::Matrix;
use crate::{
    i18n::{t_string, use_i18n},
    widgets::numbers::{decimal, share_of_one},
};

/// Describes the weight that a cell's row gives its column, by their names.
pub fn weights_described(matrix: Memo<Option<Matrix>>) -> Callback<(usize, usize), AnyView> {
    let i18n = use_i18n();
    Callback::new(move |(row, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(t_string!(
                i18n,
                chapters.gives,
                query = matrix.row_labels.get(row)?.clone(),
                key = matrix.column_labels.get(column)?.clone(),
                weight = share_of_one(matrix.value(row, column)?, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    })
}

/// Describes a cell's row and column.
pub fn numbers_described(matrix: Memo<Option<Matrix>>) -> Callback<(usize, usize), AnyView> {
    let i18n = use_i18n();
    Callback::new(move |(row, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(t_string!(
                i18n,
                chapters.number_of,
                place = column + 1,
                count = matrix.columns,
                value = decimal(matrix.value(row, column)?, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    })
}
