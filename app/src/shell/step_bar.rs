//! The bar at the foot of the page: the player over the decoding steps, the output so far, and the search.

use attention_trace::Step;
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::search::{SearchChoice, SearchNumbers, search_name};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::{Tab, View, ViewState},
    steps::{Steps, is_overruled},
    widgets::{
        Popover,
        keys::has_modifier,
        player::{Action, Transport},
    },
};

/// The player over the decoding steps; empty if the result has none, and on other tabs: chapters have players of their
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
        let writes = live
            .trace()
            .is_none_or(|trace| trace.meta.spec.generates.is_text());
        let is_wanted = has_steps.get() || chooses_search.get() || live.trace().is_none();
        writes && is_wanted && tab.get() == Tab::Explore
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
                        is_compact=true
                    />
                    <Output words />
                    <Forced />
                </Show>
                <Show when=move || chooses_search.get()>
                    <SearchMenu />
                </Show>
            </footer>
        </Show>
    }
}

/// The search's name, which opens its choice and its numbers.
#[component]
fn SearchMenu() -> impl IntoView {
    let name = search_name();
    view! {
        <div class="step-search">
            <Popover class="plain-button" test_id="search-menu" name>
                <SearchChoice />
                <SearchNumbers />
            </Popover>
        </div>
    }
}

/// Every step's token in a row, as a slider: a click on a token goes to its step.
#[component]
fn Output(
    /// The player's step, in words.
    words: Signal<String>,
) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let taken = taken_steps(steps);
    let count = Memo::new(move |_| taken.read().len());
    let row = NodeRef::<html::Div>::new();
    keep_in_sight(row, steps);
    view! {
        <div
            class="output-tokens"
            node_ref=row
            data-testid="output"
            role="slider"
            tabindex="0"
            aria-label=move || t_string!(i18n, decoding.scrub)
            aria-valuemin="1"
            aria-valuemax=count
            aria-valuenow=move || steps.timeline().step + 1
            aria-valuetext=words
            on:keydown=move |event| {
                if let Some(action) = Action::of_key(&event.key()) && !has_modifier(&event) {
                    event.prevent_default();
                    steps.player().apply(action);
                }
            }
        >
            <For
                each=move || 0..count.get()
                key=|&index| index
                let(index)
            >
                <OutputToken index step=Memo::new(move |_| taken.read().get(index).cloned()) />
            </For>
        </div>
    }
}

/// Returns the steps that decoding took.
fn taken_steps(steps: Steps) -> Memo<Vec<Step>> {
    Memo::new(move |_| {
        let taken = steps.with_decoding(|decoding| decoding.steps.clone());
        taken.unwrap_or_default()
    })
}

/// Scrolls the row of tokens to the selected one.
fn keep_in_sight(row: NodeRef<html::Div>, steps: Steps) {
    // An effect because how far the row is scrolled lies outside the reactive graph.
    Effect::new(move |_| {
        let step = steps.timeline().step;
        let Some(row) = row.get() else { return };
        let token = row.children().item(step as u32);
        let Some(token) = token.and_then(|token| token.dyn_into::<HtmlElement>().ok()) else {
            return;
        };
        let from = token.offset_left() - row.offset_left();
        let to = from + token.offset_width();
        if from < row.scroll_left() || to > row.scroll_left() + row.client_width() {
            row.set_scroll_left(from - row.client_width() / 2);
        }
    });
}

#[component]
fn OutputToken(index: usize, step: Memo<Option<Step>>) -> impl IntoView {
    let steps = Steps::expect();
    let overruled = Memo::new(move |_| step.read().as_ref().is_some_and(is_overruled));
    let name = token_name();
    let text = move || step.read().as_ref().map(|step| name(&step.chosen.token));
    let current = move || steps.timeline().step == index;
    let to_come = move || steps.timeline().step < index;
    view! {
        <span
            class="output-token"
            class:overruled=overruled
            class:current=current
            class:to-come=to_come
            data-testid="output-token"
            on:click=move |_| steps.player().go_to(index)
        >
            <span class="output-number">{index + 1}</span>
            <span class="token">{text}</span>
        </span>
    }
}

/// The steps whose token the visitor forced; a click lets the model choose again from there.
#[component]
fn Forced() -> impl IntoView {
    let steps = Steps::expect();
    let name = token_name();
    let forced = Memo::new(move |_| {
        let taken = steps.with_decoding(|decoding| {
            let steps = decoding.steps.iter().enumerate();
            let forced = steps.filter(|(_, step)| is_overruled(step));
            forced
                .map(|(index, step)| (index, name(&step.chosen.token)))
                .collect::<Vec<_>>()
        });
        taken.unwrap_or_default()
    });
    view! {
        <For each=move || forced.get() key=Clone::clone let((index, token))>
            <ForcedToken index token />
        </For>
    }
}

#[component]
fn ForcedToken(index: usize, token: String) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let name = token.clone();
    view! {
        <button
            type="button"
            class="release"
            data-testid="release"
            aria-label=move || t_string!(i18n, decoding.release_token, token = name.clone())
            title=move || t_string!(i18n, decoding.release_hint)
            on:click=move |_| steps.release(index)
        >
            {token} " " {t!(i18n, decoding.forced)} <span aria-hidden="true">" ✕"</span>
        </button>
    }
}
