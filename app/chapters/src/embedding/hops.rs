//! `A`: a row of weights over the words for each hop, and their mean.

use attention_figures::color::{css, ink_on, sequential};
use attention_trace::lessons::ReadWord;
use leptos::prelude::*;

use super::{context::EmbeddingContext, hop_name};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{ScrollRegion, numbers::share_of_one},
};

/// The rows, each with a switch, and the mean of those that are on.
#[component]
pub fn HopsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let words = Memo::new(move |_| {
        context.seen.answer.with(|seen| {
            seen.as_ref()
                .map_or_else(Vec::new, |seen| seen.words.clone())
        })
    });
    let count = Memo::new(move |_| {
        let rows = |seen: &attention_trace::lessons::EmbeddedSentence| seen.weights.shape[0];
        context
            .seen
            .answer
            .with(|seen| seen.as_ref().map_or(0, rows))
    });
    let name = Signal::derive(move || t_string!(i18n, embedding.weights).to_owned());
    let heads = move || {
        let head = |word: ReadWord| {
            view! {
                <th scope="col" lang="en" class:unknown-word=!word.known>
                    {word.text}
                    {(!word.known).then(|| view! {
                        <span class="visually-hidden">{t!(i18n, embedding.unknown)}</span>
                    })}
                </th>
            }
        };
        words.get().into_iter().map(head).collect_view()
    };
    let has_unknown = move || words.with(|words| words.iter().any(|word| !word.known));
    view! {
        <section class="lesson-figure" data-testid="hops">
            <h3 class="panel-title">{name}</h3>
            <ScrollRegion class="lesson-table" name>
                <table class="hops" aria-label=name>
                    <thead>
                        <tr><th scope="col">{t!(i18n, embedding.hop_on)}</th>{heads}</tr>
                    </thead>
                    <tbody>
                        {move || (0..count.get()).map(|hop| view! { <HopRow hop /> }).collect_view()}
                    </tbody>
                    <tfoot>
                        <MeanRow />
                    </tfoot>
                </table>
            </ScrollRegion>
            <Show when=has_unknown>
                <p class="hint" data-testid="hops-unknown">{t!(i18n, embedding.unknown_hint)}</p>
            </Show>
        </section>
    }
}

#[component]
fn HopRow(hop: usize) -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let is_on = Memo::new(move |_| context.lab.with(|lab| !lab.off.contains(&hop)));
    let row = Memo::new(move |_| {
        context
            .seen
            .answer
            .with(|seen| Some(seen.as_ref()?.weights.row(&[hop])?.to_vec()))
    });
    view! {
        <tr data-testid="hop" class:is-off=move || !is_on.get()>
            <th scope="row">
                <label class="check">
                    <input
                        type="checkbox"
                        data-testid="hop-on"
                        prop:checked=is_on
                        on:change:target=move |event| {
                            let on = event.target().checked();
                            context.update(|lab| lab.switch(hop, on));
                        }
                    />
                    <span>{move || hop_name(i18n, hop)}</span>
                </label>
            </th>
            <Cells weights=Signal::derive(move || row.get().unwrap_or_default()) />
        </tr>
    }
}

/// The mean of the rows that are on.
#[component]
fn MeanRow() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let mean = Memo::new(move |_| {
        let off = context.lab.with(|lab| lab.off.clone());
        context.seen.answer.with(|seen| seen.as_ref()?.mean(&off))
    });
    view! {
        <tr data-testid="hops-mean">
            <th scope="row">{t!(i18n, embedding.mean)}</th>
            <Cells weights=Signal::derive(move || mean.get().unwrap_or_default()) />
        </tr>
    }
}

/// A cell for each weight, as dark as it is large: the scale is that from 0 to 1.
#[component]
fn Cells(weights: Signal<Vec<f32>>) -> impl IntoView {
    let appearance = Appearance::expect();
    move || {
        let theme = appearance.get();
        let cell = |weight: f32| {
            let color = sequential(weight, theme);
            let style = format!("background: {}; color: {}", css(color), css(ink_on(color)));
            view! { <td class="number hop-weight" style=style>{share_of_one(weight, 2)}</td> }
        };
        weights.get().into_iter().map(cell).collect_view()
    }
}
