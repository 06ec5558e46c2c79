//! From weights and values to what is read.

use attention_figures::matrix::Scale as Colors;
use leptos::prelude::*;

use super::{HandContext, dimension, given_by_word};
use crate::follow::{Derivation, Operation, Products, Sign, explained};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::MatrixFigure,
};

/// Every word's value times its weight.
#[component]
pub fn Weigh() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let weight = explained(move |_, word| {
        Some(Derivation {
            place: vec![context.word(word)?],
            value: *context.query_row(|steps| &steps.weights)?.get(word)?,
            operation: Operation::Given,
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="hand-weights"
                symbol="<math><mi>a</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_weights).to_owned())
                matrix=context.over_words(|steps| &steps.weights)
                scale=Colors::Weights
                describe=weight
            />
            <Sign sign="×" />
            <MatrixFigure
                id="hand-values"
                symbol="<math><mi>V</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_values).to_owned())
                matrix=context.by_word(|steps| &steps.value)
                describe=given_by_word(context, |steps| &steps.value)
            />
            <Sign sign="=" />
            <Weighted />
        </div>
    }
}

#[component]
fn Weighted() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let weighted = context.weighted();
    let made = explained(move |word, column| {
        let weight = *context.query_row(|steps| &steps.weights)?.get(word)?;
        let value = *context.row(|steps| &steps.value, word)?.get(column)?;
        Some(Derivation {
            place: vec![context.word(word)?, dimension(column)],
            value: weighted.get()?.value(word, column)?,
            operation: Operation::Product([("a".to_owned(), weight), ("v".to_owned(), value)]),
        })
    });
    view! {
        <MatrixFigure
            id="hand-weighted"
            symbol="<math><msub><mi>a</mi><mi>j</mi></msub><msub><mi>v</mi><mi>j</mi></msub></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_weighted_values).to_owned())
            matrix=weighted
            describe=made
        />
    }
}

/// The weighted values, summed up.
#[component]
pub fn Sum() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let made = explained(move |_, column| {
        let weights = context.query_row(|steps| &steps.weights)?;
        let values = context.column(|steps| &steps.value, column)?;
        Some(Derivation {
            place: vec![context.query_word()?, dimension(column)],
            value: *context.query_row(|steps| &steps.output)?.get(column)?,
            operation: Operation::Products(Products::new(("a", &weights), ("v", &values), None)),
        })
    });
    view! {
        <div class="equation">
            <Weighted />
            <Sign sign="Σ" />
            <MatrixFigure
                id="hand-z"
                symbol="<math><mi>z</mi></math>"
                name=Signal::derive(move || t_string!(i18n, hand.read).to_owned())
                matrix=context.of_query(|steps| &steps.output)
                describe=made
            />
        </div>
    }
}
