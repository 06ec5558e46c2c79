//! The output so far: every step's token, up to the selected step.

use attention_trace::Step;
use leptos::prelude::*;

use super::{context::DecodingContext, step::is_overruled};
use crate::{
    i18n::{t, t_string, use_i18n},
    widgets::label,
};

/// The tokens; a click on one goes to its step.
#[component]
pub fn Output() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let steps = Memo::new(move |_| {
        context
            .with_decoding(|decoding| decoding.steps.clone())
            .unwrap_or_default()
    });
    view! {
        <section class="output" aria-label=move || t_string!(i18n, decoding.output)>
            <h2 class="panel-title">{t!(i18n, decoding.output)}</h2>
            <ol class="output-tokens" data-testid="output">
                {move || {
                    steps.with(|steps| {
                        steps
                            .iter()
                            .enumerate()
                            .map(|(index, step)| view! { <OutputToken index step=step.clone() /> })
                            .collect_view()
                    })
                }}
            </ol>
        </section>
    }
}

#[component]
fn OutputToken(index: usize, step: Step) -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let overruled = is_overruled(&step);
    let text = label(&step.chosen.token).to_owned();
    let current = move || context.timeline().step == index;
    let to_come = move || context.timeline().step < index;
    view! {
        <li class="output-token" class:overruled=overruled>
            <button
                type="button"
                class="output-button"
                class:current=current
                class:to-come=to_come
                data-testid="output-token"
                aria-current=move || current().then_some("step")
                on:click=move |_| context.player().go_to(index)
            >
                <span class="output-number">{index + 1}</span>
                <span class="token">{text.clone()}</span>
            </button>
            {overruled.then(|| view! {
                <button
                    type="button"
                    class="release"
                    data-testid="release"
                    aria-label=move || {
                        t_string!(i18n, decoding.release_token, token = text.clone())
                    }
                    title=move || t_string!(i18n, decoding.release_hint)
                    on:click=move |_| context.release(index)
                >
                    {t!(i18n, decoding.forced)} <span aria-hidden="true">" ✕"</span>
                </button>
            })}
        </li>
    }
}
