//! The model's most probable tokens at the selected step, without edits and with heads off.

use attention_trace::Token;
use leptos::prelude::*;

use super::effect::{Candidates, Choice};
use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_label,
    steps::Steps,
    widgets::{ScrollRegion, numbers::percent},
};

/// The most probable tokens of both runs side by side; nothing where the run with heads off has no such step.
#[component]
pub fn Choices() -> impl IntoView {
    let i18n = use_i18n();
    let (live, steps) = (Live::expect(), Steps::expect());
    let decodings = live.select(|engine| {
        let before = engine.without_edits()?.decoding.clone()?;
        Some((before, engine.shown.as_ref()?.trace.decoding.clone()?))
    });
    // One memo, so that what is shown follows one.
    let choice = Memo::new(move |_| {
        let step = steps.timeline().step;
        decodings.with(|both| {
            let (before, after) = both.as_ref()?;
            Choice::at(before, after, step)
        })
    });
    let note = move || {
        choice.with(|choice| {
            let choice = choice.as_ref()?;
            match (choice.has_before, choice.is_same_beginning) {
                (false, _) => Some(t_string!(i18n, edits.no_counterpart)),
                (true, false) => Some(t_string!(i18n, edits.other_beginning)),
                (true, true) => None,
            }
        })
    };
    let title = move || {
        let step = steps.timeline().step + 1;
        t_string!(i18n, edits.choice, step = step)
    };
    let label = token_label();
    let rows = move || {
        let candidates = choice.get().map(|choice| choice.candidates);
        let rows = candidates.unwrap_or_default().into_iter();
        rows.map(|candidates| row(candidates, label)).collect_view()
    };
    view! {
        <section
            class="distributions"
            class:is-hidden=move || choice.read().is_none()
            data-testid="distributions"
        >
            <h3 class="panel-title">{title}</h3>
            <p class="hint">{note}</p>
            <ScrollRegion name=Signal::derive(title)>
                <table class="distribution-table">
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, decoding.token)}</th>
                            <th scope="col" colspan="2">{t!(i18n, edits.without)}</th>
                            <th scope="col" colspan="2">{t!(i18n, edits.with)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}

/// No component, so that what shows it follows the language.
fn row(candidates: Candidates, label: impl Fn(&Token) -> AnyView) -> impl IntoView {
    let Candidates {
        token,
        before,
        after,
    } = candidates;
    view! {
        <tr>
            <th scope="row">{label(&token)}</th>
            <Share share=before class="bar is-before" />
            <Share share=after class="bar" />
        </tr>
    }
}

/// A probability as a bar and a number; a dash where the token is not among the most probable.
#[component]
fn Share(share: Option<f32>, class: &'static str) -> impl IntoView {
    let bar = share.map(|share| {
        view! { <span class=class style=format!("--share: {share:.4}")></span> }
    });
    view! {
        <td class="bar-cell">{bar}</td>
        <td class="number">{share.map_or("–".to_owned(), |share| percent(share, 1))}</td>
    }
}
