//! Predictions that the chapter asks of its readers.

use crate::search::parameters::SearchLab;
use attention_trace::search::{Cost, Exhaustive, at_once};
use leptos::prelude::*;

use super::{
    alpha::{ALPHAS, FIRST, leaders, leaders_in_words, leading, wholes_of_table},
    context::{SearchContext, probability, product, written},
    counted::of_all,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{Expected, Prompt, numbers::grouped},
};

/// The tolerance for a predicted probability: half of the third decimal.
const TOLERANCE: f64 = 0.0005;

/// Asks for the result of greedy search.
#[component]
pub fn GreedyPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = SearchContext::expect();
    let values = Signal::derive(move || {
        let found = context.greedy_path();
        Some(vec![
            ("sequence", written(&found.tokens)),
            ("product", product(&found)),
            ("probability", probability(found.probability())),
        ])
    });
    let expected = Signal::derive(move || {
        Some(Expected::Number {
            right: context.greedy_path().probability(),
            tolerance: TOLERANCE,
        })
    });
    view! {
        <Prompt
            question="ask-greedy"
            answer="answer-greedy"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.probability).to_owned())
            expected
        />
    }
}

/// Asks whether another sequence is more probable.
#[component]
pub fn BetterPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = SearchContext::expect();
    let values = Signal::derive(move || {
        let best = context.best_path()?;
        let count = context.all.with(|all| Some(all.as_ref()?.found.len()))?;
        Some(vec![
            ("sequence", written(&best.tokens)),
            ("product", product(&best)),
            ("probability", probability(best.probability())),
            ("greedy", probability(context.greedy_path().probability())),
            ("count", count.to_string()),
        ])
    });
    let expected = Signal::derive(move || {
        let (greedy, best) = (context.greedy_path(), context.best_path()?);
        Some(Expected::Truth(
            best.probability() > greedy.probability() + 1e-12,
        ))
    });
    view! {
        <Prompt
            question="ask-better"
            answer="answer-better"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.better).to_owned())
            expected
        />
    }
}

/// Asks whether the tokens that win at each step by themselves are the most probable sequence.
#[component]
pub fn AtOncePrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = SearchContext::expect();
    let found = Memo::new(move |_| {
        let chosen = |all: &Option<Exhaustive>| at_once(&all.as_ref()?.found).cloned();
        Some((context.all.with(chosen)?, context.best_path()?))
    });
    let values = Signal::derive(move || {
        let (chosen, best) = found.get()?;
        Some(vec![
            ("sequence", written(&chosen.tokens)),
            ("probability", probability(chosen.probability())),
            ("best", written(&best.tokens)),
            ("optimum", probability(best.probability())),
        ])
    });
    let expected = Signal::derive(move || {
        let (chosen, best) = found.get()?;
        Some(Expected::Truth(
            chosen.probability() + 1e-12 >= best.probability(),
        ))
    });
    view! {
        <Prompt
            question="ask-at-once"
            answer="answer-at-once"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.at_once).to_owned())
            expected
        />
    }
}

/// Asks for the best sequence without α.
#[component]
pub fn AlphaPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let wholes = wholes_of_table();
    let values = Signal::derive(move || {
        wholes.with(|wholes| {
            let first = wholes.first()?;
            let [none, lecture, _] = ALPHAS.map(|alpha| leaders_in_words(wholes, alpha));
            Some(vec![
                ("none", none),
                ("probability", probability(first.log_probability.exp())),
                ("lecture", lecture),
            ])
        })
    });
    let expected = Signal::derive(move || {
        wholes.with(|wholes| {
            let listed = leading(wholes, FIRST).into_iter();
            let options: Vec<String> = listed.map(|place| wholes[place].name.clone()).collect();
            let first = leaders(wholes, ALPHAS[0]);
            let is_right = |place: &usize| first.contains(&options[*place]);
            let right = (0..options.len()).filter(is_right).collect();
            Some(Expected::OneOf { options, right })
        })
    });
    view! {
        <Prompt
            question="ask-alpha"
            answer="answer-alpha"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.leader).to_owned())
            expected
        />
    }
}

/// Asks for the cost of a beam.
#[component]
pub fn CostPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let count = ViewState::expect().select(|view| view.chapters.of::<SearchLab>().count);
    let cost = move || {
        let count = count.get();
        Cost::of_beam(count.width, count.vocabulary, count.length.into())
    };
    let values = Signal::derive(move || {
        let count = count.get();
        Some(vec![
            ("k", grouped(count.width)),
            ("n", grouped(count.vocabulary)),
            ("t", count.length.to_string()),
            ("cost", grouped(cost())),
            ("all", of_all(count)),
        ])
    });
    let expected = Signal::derive(move || Some(Expected::count(cost() as usize)));
    view! {
        <Prompt
            question="ask-cost"
            answer="answer-cost"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.candidates).to_owned())
            expected
        />
    }
}
