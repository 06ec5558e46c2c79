//! The bar at the foot of the page: the player over the decoding steps, the output so far, and how its words are chosen.

use attention_trace::Step;
use leptos::prelude::*;

use super::search::{SearchChoice, SearchNumbers};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::{Tab, View, ViewState},
    steps::{Steps, is_overruled},
    widgets::player::Transport,
};

/// The player over the decoding steps; nothing where the result has none, nor on other tabs: chapters have players of their
/// own.
#[component]
pub fn StepBar() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let state = ViewState::expect();
    let tab = state.select(|view| view.tab);
    let chooses_search = state.select(View::chooses_search);
    let live = Live::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    // Before there is a result its room is kept, so that nothing moves when it comes.
    let is_here = Memo::new(move |_| {
        let is_wanted = has_steps.get() || chooses_search.get() || live.trace().is_none();
        is_wanted && tab.get() == Tab::Explore
    });
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, decoding.step_of, step = step, count = count)
    });
    view! {
        <Show when=move || is_here.get()>
            <footer class="step-bar" aria-label=move || t_string!(i18n, decoding.output)>
                <Show when=move || has_steps.get()>
                    <Transport
                        player=steps.player()
                        label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                        words
                    />
                    <Output />
                </Show>
                <Show when=move || chooses_search.get()>
                    <div class="step-search">
                        <SearchChoice />
                        <SearchNumbers />
                    </div>
                </Show>
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
    let count = Memo::new(move |_| taken.read().len());
    view! {
        <ol class="output-tokens" data-testid="output">
            <For
                each=move || 0..count.get()
                key=|&index| index
                let(index)
            >
                <OutputToken index step=Memo::new(move |_| taken.read().get(index).cloned()) />
            </For>
        </ol>
    }
}

/// A step's token.
#[component]
fn OutputToken(index: usize, step: Memo<Option<Step>>) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let overruled = Memo::new(move |_| step.read().as_ref().is_some_and(is_overruled));
    let name = token_name();
    let text = Memo::new(move |_| {
        let step = step.read();
        step.as_ref()
            .map(|step| name(&step.chosen.token))
            .unwrap_or_default()
    });
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
            <Show when=move || overruled.get()>
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
            </Show>
        </li>
    }
}
