//! The mask, and the chosen head's map without and with it.

use attention_figures::matrix::Scale;
use leptos::prelude::*;

use super::rule::Rule;
use crate::follow::axes;
use attention_core::{
    engine::Part,
    i18n::{t, t_string, use_i18n},
    selection::SelfAttention,
    widgets::matrix::{Matrix, MatrixFigure, weights_described},
};

/// The matrix that is added to the scores.
#[component]
pub fn RuleFigure(rule: Memo<Option<Rule>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let matrix = Memo::new(move |_| {
        let names = context.names();
        let rule = rule.get()?;
        Some(
            Matrix::new(rule.matrix(), rule.tokens)
                .with_rows(names.clone())
                .with_columns(names),
        )
    });
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            let (query, key) = (
                matrix.row_labels.get(row)?.clone(),
                matrix.column_labels.get(column)?.clone(),
            );
            let is_seen = matrix.value(row, column)? == 0.0;
            Some(match is_seen {
                true => t_string!(i18n, masks.seen, query = query, key = key),
                false => t_string!(i18n, masks.hidden, query = query, key = key),
            })
        });
        words.map(|words| view! { <p>{words}</p> }).into_any()
    });
    view! {
        <MatrixFigure
            id="mask"
            symbol="<math><mi>M</mi></math>"
            name=Signal::derive(move || t_string!(i18n, masks.added).to_owned())
            matrix
            rows=axes::QUERIES
            columns=axes::KEYS
            rows_shown=64
            describe
        />
    }
}

/// The chosen head's map, as trained and with the mask.
#[component]
pub fn Maps(weights: [Memo<Option<Part>>; 2]) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let map = move |weights: Memo<Option<Part>>| {
        Memo::new(move |_| {
            let names = context.names();
            let head = context.with(|place| place.head.head)?;
            let Part(layer) = weights.get()?;
            let columns = *layer.shape.last()?;
            Some(
                Matrix::new(layer.matrix(head)?, columns)
                    .with_rows(names.clone())
                    .with_columns(names),
            )
        })
    };
    let [plain, masked] = weights.map(map);
    view! {
        <div class="map-pair">
            <Map
                id="mask-plain"
                name=Signal::derive(move || t_string!(i18n, masks.trained).to_owned())
                matrix=plain
            />
            <Map
                id="mask-masked"
                name=Signal::derive(move || t_string!(i18n, masks.masked).to_owned())
                matrix=masked
            />
        </div>
        <p class="hint">{t!(i18n, masks.zero)}</p>
    }
}

#[component]
fn Map(id: &'static str, name: Signal<String>, matrix: Memo<Option<Matrix>>) -> impl IntoView {
    view! {
        <MatrixFigure
            id
            symbol="<math><mi>A</mi></math>"
            name
            matrix
            rows=axes::QUERIES
            columns=axes::KEYS
            scale=Scale::Weights
            rows_shown=64
            describe=weights_described(matrix)
        />
    }
}
