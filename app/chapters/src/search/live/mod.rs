//! The search of the page's own model on the visitor's sentence: its tree, its results by α, and its cost.

mod choice;
mod data;
mod drawn;
mod tree;

use crate::needs::TranslatorLink;
use attention_trace::{Decoding, Search, search::Cost};
use leptos::prelude::*;

use self::{choice::SearchChoice, drawn::LiveDrawn, tree::LiveTreeView};
use super::alpha::{AlphaTable, Whole};
use attention_core::{
    engine::{Live, Source},
    i18n::{t, t_string, use_i18n},
    steps::Steps,
    widgets::numbers::{decimal, grouped},
};

/// The output of the model on screen, and the search behind it.
#[component]
pub fn LiveSearch() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    let is_drawn = Memo::new(move |_| {
        let is_drawn = |decoding: &Decoding| matches!(decoding.search, Search::Sampling { .. });
        steps.with_decoding(is_drawn).unwrap_or_default()
    });
    view! {
        <section class="lesson-figure" data-testid="live-search">
            <Show
                when=move || has_steps.get()
                fallback=move || view! {
                    <p class="notice">{t!(i18n, search.nothing_written)} <TranslatorLink /></p>
                }
            >
                <SearchChoice />
                <LiveTreeView />
                <LiveDrawn />
                <LiveCost />
                <Show when=move || !is_drawn.get()>
                    <LiveAlpha />
                </Show>
            </Show>
        </section>
    }
}

/// The cost of the run: counted, and in time.
#[component]
fn LiveCost() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let cost = live.select(|engine| {
        let shown = engine.shown.as_ref()?;
        let decoding = shown.trace.decoding.as_ref()?;
        let milliseconds = match shown.source {
            Source::Live(timing) => Some(timing.decode_ms),
            Source::Example | Source::Recorded => None,
        };
        let vocabulary = shown.trace.meta.spec.vocabulary;
        Some((
            decoding.search.width(),
            vocabulary,
            decoding.steps.len(),
            milliseconds,
        ))
    });
    let words = move || {
        let (width, vocabulary, steps, milliseconds) = cost.get()?;
        let counted = Cost::of_beam(width as u64, vocabulary as u64, steps as u64);
        let counted = t_string!(
            i18n,
            search.live_counted,
            k = width,
            n = grouped(vocabulary as u64),
            t = steps,
            cost = grouped(counted)
        );
        let measured = milliseconds.map(|milliseconds| {
            let milliseconds = decimal(milliseconds as f32, 0);
            t_string!(i18n, search.live_measured, milliseconds = milliseconds)
        });
        Some(format!("{counted} {}", measured.unwrap_or_default()))
    };
    view! { <p class="lesson-reading number" data-testid="live-cost">{words}</p> }
}

/// The results by several exponents of the length; empty if there is only one result.
#[component]
fn LiveAlpha() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let wholes = Memo::new(move |_| steps.with_decoding(wholes).unwrap_or_default());
    let has_several = Memo::new(move |_| wholes.read().len() > 1);
    view! {
        <Show
            when=move || has_several.get()
            fallback=move || view! { <p class="hint">{t!(i18n, search.one_result)}</p> }
        >
            <AlphaTable
                name=Signal::derive(move || t_string!(i18n, search.live_results).to_owned())
                test_id="live-alpha-table"
                wholes
                most=usize::MAX
            />
        </Show>
    }
}

fn wholes(decoding: &Decoding) -> Vec<Whole> {
    let found = decoding.hypotheses.iter();
    found
        .map(|found| Whole {
            name: found.text.clone(),
            log_probability: f64::from(found.log_probability),
            length: found.tokens.len(),
        })
        .collect()
}
