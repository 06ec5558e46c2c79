//! The bar at the foot of every tab: the output so far, and the player over its steps.

use attention_trace::Step;
use leptos::prelude::*;

use crate::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::{Tab, ViewState},
    steps::{Steps, is_overruled},
    widgets::player::Transport,
};

/// The player over the decoding steps; nothing where the result has none, nor in chapters, which have players of their
/// own.
#[component]
pub fn StepBar() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let tab = ViewState::expect().select(|view| view.tab);
    let is_here = Memo::new(move |_| steps.has_steps() && tab.get() != Tab::Learn);
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, decoding.step_of, step = step, count = count)
    });
    view! {
        <Show when=move || is_here.get()>
            <footer class="step-bar" aria-label=move || t_string!(i18n, decoding.output)>
                <Transport
                    player=steps.player()
                    label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                    words
                />
                <Output />
            </footer>
        </Show>
    }
}

/// Every step's token; a click on one goes to its step.
#[component]
fn Output() -> impl IntoView {
    let steps = Steps::expect();
    let taken = Memo::new(move |_| {
        steps
            .with_decoding(|decoding| decoding.steps.clone())
            .unwrap_or_default()
    });
    let tokens = move || {
        let taken = taken.get().into_iter().enumerate();
        taken
            .map(|(index, step)| view! { <OutputToken index step /> })
            .collect_view()
    };
    view! { <ol class="output-tokens" data-testid="output">{tokens}</ol> }
}

#[component]
fn OutputToken(index: usize, step: Step) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let overruled = is_overruled(&step);
    let token = step.chosen.token.clone();
    let name = token_name();
    let text = Signal::derive(move || name(&token));
    let current = move || steps.timeline().step == index;
    let to_come = move || steps.timeline().step < index;
    view! {
        <li class="output-token" class:overruled=overruled>
            <button
                type="button"
                class="output-button"
                class:current=current
                class:to-come=to_come
                data-testid="output-token"
                aria-current=move || current().then_some("step")
                on:click=move |_| steps.player().go_to(index)
            >
                <span class="output-number">{index + 1}</span>
                <span class="token">{text}</span>
            </button>
            {overruled.then(|| view! {
                <button
                    type="button"
                    class="release"
                    data-testid="release"
                    aria-label=move || {
                        t_string!(i18n, decoding.release_token, token = text.get())
                    }
                    title=move || t_string!(i18n, decoding.release_hint)
                    on:click=move |_| steps.release(index)
                >
                    {t!(i18n, decoding.forced)} <span aria-hidden="true">" ✕"</span>
                </button>
            })}
        </li>
    }
}
