//! The map of one head, with the tokens as typed and moved, side by side.

use attention_figures::matrix::Scale;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::experiment::{OrderSelection, PermutationInput};
use attention_core::{
    engine::Part,
    i18n::{Locale, t_string, use_i18n},
    names::token_name,
    selection::HeadSelects,
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::share_of_one,
    },
};

/// Both maps, and the choice of the head.
#[component]
pub fn Maps(selection: OrderSelection) -> impl IntoView {
    let (plain, moved) = (map(selection, false), map(selection, true));
    let numbers = Memo::new(move |_| {
        let input = selection.input.get()?;
        Some(input.head.numbers(input.meta()))
    });
    view! {
        <div class="position-controls">
            <HeadSelects numbers test_ids=["order-layer", "order-head"] />
        </div>
        <Inspected>
            <div class="map-pair">
                <Map id="order-plain" matrix=plain is_moved=false />
                <Map id="order-moved" matrix=moved is_moved=true />
            </div>
        </Inspected>
    }
}

/// The map of a pass with names on its axes.
fn map(selection: OrderSelection, is_moved: bool) -> Memo<Option<Matrix>> {
    let part = selection.map(is_moved);
    Memo::new(move |_| {
        let Part(array) = part.get()?;
        let input = selection.input.get()?;
        let &[_, columns] = array.shape.as_slice() else {
            return None;
        };
        let names = names(&input, is_moved);
        Some(
            Matrix::new(array.data.as_slice(), columns)
                .with_rows(names.clone())
                .with_columns(names),
        )
    })
}

fn names(input: &PermutationInput, is_moved: bool) -> Vec<String> {
    let tokens = input.tokens();
    let called = token_name();
    let name = |(place, &moved): (usize, &usize)| {
        let token = tokens.get(if is_moved { moved } else { place });
        token.map(called).unwrap_or_default()
    };
    input.order.iter().enumerate().map(name).collect()
}

#[component]
fn Map(id: &'static str, matrix: Memo<Option<Matrix>>, is_moved: bool) -> impl IntoView {
    let i18n = use_i18n();
    let name = move || match is_moved {
        false => t_string!(i18n, order.as_typed).to_owned(),
        true => t_string!(i18n, order.as_moved).to_owned(),
    };
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        matrix
            .with(|matrix| in_words(i18n, matrix.as_ref()?, row, column))
            .map(|words| view! { <p>{words}</p> })
            .into_any()
    });
    view! {
        <MatrixFigure
            id
            symbol="A"
            name=Signal::derive(name)
            matrix
            scale=Scale::Weights
            rows_shown=64
            rows="places"
            columns="places"
            describe
        />
    }
}

fn in_words(
    i18n: I18nContext<Locale>,
    matrix: &Matrix,
    row: usize,
    column: usize,
) -> Option<String> {
    let query = matrix.row_labels.get(row)?.clone();
    let key = matrix.column_labels.get(column)?.clone();
    let weight = share_of_one(matrix.value(row, column)?, 4);
    Some(t_string!(
        i18n,
        order.weight,
        query = query,
        key = key,
        weight = weight
    ))
}
