//! The fifth screen: a query meets keys, scores become weights.

use leptos::prelude::*;

use crate::follow::{HeadFigure, HeadMatrix};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{ChosenToken, SelfAttention},
    widgets::numbers::{decimal, share_of_one},
};

/// The query, the keys, the scores, the weights.
#[component]
pub fn Weights() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let [query, keys, scores, weights] = [
        HeadMatrix::Query,
        HeadMatrix::Keys,
        HeadMatrix::Scores,
        HeadMatrix::Weights,
    ]
    .map(|matrix| matrix.of(|place| place.head));
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
                weight = share_of_one(weights.value(0, key)?, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    view! {
        <ChosenToken />
        <HeadFigure
            id="start-query"
            is=HeadMatrix::Query
            matrix=query
            name=Signal::derive(move || t_string!(i18n, start.query).to_owned())
        />
        <HeadFigure
            id="start-keys"
            is=HeadMatrix::Keys
            matrix=keys
            name=Signal::derive(move || t_string!(i18n, start.keys).to_owned())
            rows_shown=8
        />
        <HeadFigure
            id="start-scores"
            is=HeadMatrix::Scores
            matrix=scores
            name=Signal::derive(move || t_string!(i18n, start.scores).to_owned())
            describe=compared
        />
        <HeadFigure
            id="start-weights"
            is=HeadMatrix::Weights
            matrix=weights
            name=Signal::derive(move || t_string!(i18n, start.weights).to_owned())
            describe=compared
        />
    }
}
