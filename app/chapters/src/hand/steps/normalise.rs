//! From a query and all keys to weights.

use attention_figures::matrix::Scale as Colors;
use leptos::prelude::*;

use super::{HandContext, given_by_word, given_of_query};
use crate::follow::{Derivation, Operation, Products, Sign, explained};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{matrix::MatrixFigure, numbers::decimal},
};

/// The word's query times every word's key, its own included.
#[component]
pub fn Score() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let made = explained(move |_, word| {
        let query = context.query_row(|steps| &steps.query)?;
        let key = context.row(|steps| &steps.key, word)?;
        Some(Derivation {
            place: vec![context.query_word()?, context.word(word)?],
            value: *context.query_row(|steps| &steps.scores)?.get(word)?,
            operation: Operation::Products(Products::new(("q", &query), ("k", &key), None)),
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="hand-query"
                symbol="<math><mi>q</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned())
                matrix=context.of_query(|steps| &steps.query)
                describe=given_of_query(context, |steps| &steps.query)
            />
            <Sign sign="·" />
            <MatrixFigure
                id="hand-keys"
                symbol="<math><mi>K</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=context.by_word(|steps| &steps.key)
                describe=given_by_word(context, |steps| &steps.key)
            />
            <Sign sign="=" />
            <MatrixFigure
                id="hand-scores"
                symbol="<math><mi>s</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_scores).to_owned())
                matrix=context.over_words(|steps| &steps.scores)
                describe=made
            />
        </div>
    }
}

/// The scores divided by `√d_k`, and their softmax.
#[component]
pub fn Normalise() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let scaled = explained(move |_, word| {
        let score = *context.query_row(|steps| &steps.scores)?.get(word)?;
        let (is_scaled, width) = context.hand.with(|hand| (hand.scaled, hand.key_width()));
        Some(Derivation {
            place: vec![context.query_word()?, context.word(word)?],
            value: *context.query_row(|steps| &steps.scaled)?.get(word)?,
            operation: match is_scaled {
                true => Operation::Quotient {
                    above: ("s".to_owned(), score),
                    below: (format!("√{width}"), (width as f32).sqrt()),
                },
                false => Operation::Given,
            },
        })
    });
    let share = explained(move |_, index| {
        let scores = context.query_row(|steps| &steps.scaled)?;
        Some(Derivation {
            place: vec![context.query_word()?, context.word(index)?],
            value: *context.query_row(|steps| &steps.weights)?.get(index)?,
            operation: Operation::Softmax {
                scores: context.words().into_iter().zip(scores).collect(),
                index,
            },
        })
    });
    let sum = move || {
        let weights = context.query_row(|steps| &steps.weights)?;
        let sum = decimal(weights.iter().sum(), 4);
        Some(t_string!(i18n, hand.weights_sum, sum = sum))
    };
    view! {
        <div class="equation">
            <MatrixFigure
                id="hand-scaled"
                symbol="<math><mi>s</mi><mo>/</mo><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></math>"
                name=Signal::derive(move || match context.hand.with(|hand| hand.scaled) {
                    true => t_string!(i18n, chapters.name_scaled).to_owned(),
                    false => t_string!(i18n, hand.unscaled).to_owned(),
                })
                matrix=context.over_words(|steps| &steps.scaled)
                describe=scaled
            />
            <Sign sign="↓" />
            <MatrixFigure
                id="hand-weights"
                symbol="<math><mi>a</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_weights).to_owned())
                matrix=context.over_words(|steps| &steps.weights)
                scale=Colors::Weights
                describe=share
            />
        </div>
        <p class="hint number" data-testid="hand-weights-sum">{sum}</p>
    }
}
