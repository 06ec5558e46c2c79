//! The third screen: a vector for each token, and the similarity of two of them.

use std::sync::Arc;

use attention_figures::{bars::Series, color::categorical};
use attention_trace::{Excerpt, Slice};
use leptos::prelude::*;

use super::measures::likeness;
use crate::follow::axes;
use attention_core::{
    appearance::Appearance,
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{ChosenToken, SelfAttention, SelfPlace},
    widgets::{
        BarFigure, Bars,
        matrix::{Matrix, MatrixFigure, numbers_described},
    },
};

/// The embeddings of the text's tokens, `[n, d]`.
pub fn embeddings(context: SelfAttention) -> Memo<Option<Part>> {
    context.part(|place: &SelfPlace| {
        let stack = place.head.attention.kind.stack();
        Excerpt::new(place.meta.spec.token_embedding(stack), Slice::Whole)
    })
}

/// The name of a series of bars, and its numbers.
type NamedNumbers = (String, Vec<f32>);

/// Bars of a vector's similarity to every token's vector.
#[component]
pub fn LikenessBars(
    /// The `data-testid` of the bars.
    test_id: &'static str,
    /// A name and numbers for each series; `None` until they are loaded.
    series: Memo<Option<Vec<NamedNumbers>>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = SelfAttention::expect();
    let chart = Memo::new(move |_| {
        let (theme, names) = (appearance.get(), context.names());
        let query = context.query();
        let series = series.get()?.into_iter().enumerate();
        Some(Bars {
            names: names.to_vec(),
            top: 1.0,
            marked: Some(query),
            series: series
                .map(|(index, (label, values))| Series {
                    label: Some(label),
                    values,
                    colors: vec![categorical(index, theme)],
                })
                .collect(),
        })
    });
    view! {
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, start.likeness).to_owned())
            test_id
            chart
        />
    }
}

/// A row with a name, as a matrix.
pub fn row(name: Option<String>, values: &[f32]) -> Matrix {
    let names: Arc<[String]> = name.into_iter().collect();
    Matrix::new(values, values.len()).with_rows(names)
}

/// The chosen token's vector, and its similarity to the others.
#[component]
pub fn Vectors() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let embeddings = embeddings(context);
    let matrix = Memo::new(move |_| {
        let (query, name) = (context.query(), context.query_name());
        let Part(rows) = embeddings.get()?;
        Some(row(name, rows.row(&[query])?))
    });
    let series = Memo::new(move |_| {
        let (query, count) = (context.query(), context.names().len());
        let Part(rows) = embeddings.get()?;
        let label = t_string!(i18n, start.likeness).to_owned();
        Some(vec![(label, likeness(rows.row(&[query])?, &rows, count))])
    });
    view! {
        <ChosenToken />
        <MatrixFigure
            id="start-vector"
            symbol="<math><mi>e</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.vector).to_owned())
            matrix
            columns=axes::WIDTH
            describe=numbers_described(matrix)
        />
        <LikenessBars test_id="start-likeness" series />
    }
}
