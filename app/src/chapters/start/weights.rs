//! The fifth screen: a query meets keys, scores become weights.

use attention_figures::matrix::Scale;
use attention_trace::Quantity;
use leptos::prelude::*;

use super::vectors::row;
use crate::{
    chapters::follow::axes,
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{ChosenToken, SelfAttention},
    widgets::{
        matrix::{Matrix, MatrixFigure, numbers_described},
        numbers::decimal,
    },
};

/// The chosen token's row of a quantity of the head.
fn query_row(context: SelfAttention, quantity: Quantity) -> Memo<Option<Matrix>> {
    let part = context.part(move |place| place.head.excerpt(quantity));
    Memo::new(move |_| {
        let (query, name) = (context.query(), context.query_name());
        let Part(array) = part.get()?;
        Some(row(name, array.row(&[query])?))
    })
}

/// The same with a column for each token.
fn over_tokens(context: SelfAttention, quantity: Quantity) -> Memo<Option<Matrix>> {
    let row = query_row(context, quantity);
    Memo::new(move |_| Some(row.get()?.with_columns(context.names())))
}

/// The query, the keys, the scores, the weights.
#[component]
pub fn Weights() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let query = query_row(context, Quantity::Query);
    let all_keys = context.part(|place| place.head.excerpt(Quantity::Key));
    let keys = Memo::new(move |_| {
        let names = context.names();
        let Part(array) = all_keys.get()?;
        let &[_, columns] = array.shape.as_slice() else {
            return None;
        };
        let rows = array.data.get(..names.len() * columns)?;
        Some(Matrix::new(rows, columns).with_rows(names))
    });
    let scores = over_tokens(context, Quantity::MaskedScores);
    let weights = over_tokens(context, Quantity::Pattern);
    let comparisons = Memo::new(move |_| {
        let query = context.query_name()?;
        Some((query, scores.get()?, weights.get()?))
    });
    let compared = Callback::new(move |(_, key): (usize, usize)| {
        let words = comparisons.with(|comparisons| {
            let (query, scores, weights) = comparisons.as_ref()?;
            Some(t_string!(
                i18n,
                start.compared,
                query = query.clone(),
                key = scores.column_labels.get(key)?.clone(),
                score = decimal(scores.value(0, key)?, 3),
                weight = decimal(weights.value(0, key)?, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    view! {
        <ChosenToken />
        <MatrixFigure
            id="start-query"
            symbol="<math><mi>q</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.query).to_owned())
            matrix=query
            columns=axes::HEAD
            describe=numbers_described(query)
        />
        <MatrixFigure
            id="start-keys"
            symbol="<math><mi>K</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.keys).to_owned())
            matrix=keys
            rows=axes::KEYS
            columns=axes::HEAD
            rows_shown=8
            describe=numbers_described(keys)
        />
        <MatrixFigure
            id="start-scores"
            symbol="<math><mi>s</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.scores).to_owned())
            matrix=scores
            columns=axes::KEYS
            describe=compared
        />
        <MatrixFigure
            id="start-weights"
            symbol="<math><mi>a</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.weights).to_owned())
            matrix=weights
            columns=axes::KEYS
            scale=Scale::Weights
            describe=compared
        />
    }
}
