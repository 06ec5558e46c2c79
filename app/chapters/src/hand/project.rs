//! Queries, keys and values of all words, as products of the matrices above.

use leptos::prelude::*;

use super::context::{HandContext, Of, column_of};
use crate::{
    follow::{Derivation, Operation, Products, explained},
    hand::parameters::HandMatrix,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        inspector::Inspected,
        matrix::{Marks, MatrixFigure},
    },
};

/// `Q`, `K` and `V`, with the row of the word that asks marked.
#[component]
pub fn Projections() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Inspected>
            <div class="hand-matrices is-wide" data-testid="hand-projections">
                <Projection
                    id="hand-q"
                    symbol="<math><mi>Q</mi><mo>=</mo><mi>X</mi><msup><mi>W</mi><mi>Q</mi></msup></math>"
                    name=Signal::derive(move || t_string!(i18n, hand.queries).to_owned())
                    of=|steps| &steps.query
                    weights=HandMatrix::Query
                />
                <Projection
                    id="hand-k"
                    symbol="<math><mi>K</mi><mo>=</mo><mi>X</mi><msup><mi>W</mi><mi>K</mi></msup></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                    of=|steps| &steps.key
                    weights=HandMatrix::Key
                />
                <Projection
                    id="hand-v"
                    symbol="<math><mi>V</mi><mo>=</mo><mi>X</mi><msup><mi>W</mi><mi>V</mi></msup></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_values).to_owned())
                    of=|steps| &steps.value
                    weights=HandMatrix::Value
                />
            </div>
        </Inspected>
    }
}

#[component]
fn Projection(
    id: &'static str,
    symbol: &'static str,
    name: Signal<String>,
    of: Of,
    weights: HandMatrix,
) -> impl IntoView {
    let context = HandContext::expect();
    let marks = Signal::derive(move || Marks {
        row: Some(context.query()),
        column: None,
    });
    let describe = explained(move |row, column| {
        let word = context.input().x.row(&[row])?.to_vec();
        let weights = context.hand.with(|hand| hand.matrix(weights));
        let weights = column_of(&weights, column)?;
        Some(Derivation {
            place: vec![context.word(row)?, format!("c = {}", column + 1)],
            value: *context.row(of, row)?.get(column)?,
            operation: Operation::Products(Products::new(("x", &word), ("W", &weights), None)),
        })
    });
    view! { <MatrixFigure id symbol name matrix=context.by_word(of) marks describe /> }
}
