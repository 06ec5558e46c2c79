//! The tokens in a row, to be moved: dragged, by buttons, or by arrow keys.

use crate::order::parameters::WordOrder;
use leptos::{ev::KeyboardEvent, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::experiment::{OrderSelection, PermutationInput};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::ViewState,
    widgets::{Check, KeyHint},
};
use attention_protocol::OrLogged;

/// A way to move tokens.
#[derive(Clone, Copy)]
struct Moving {
    selection: OrderSelection,
    state: ViewState,
    /// The place of the token that is held.
    held: RwSignal<Option<usize>>,
    /// True while a pointer drags the word.
    dragged: RwSignal<bool>,
    row: NodeRef<html::Ol>,
}

impl Moving {
    fn count(self) -> usize {
        let count = |input: &PermutationInput| input.order.len();
        self.selection
            .input
            .with_untracked(|input| input.as_ref().map_or(0, count))
    }

    /// Moves the token at one place to another, and holds it.
    fn move_to(self, from: usize, to: usize) {
        let count = self.count();
        if from < count && to < count && from != to {
            self.state.update_chapters(|chapters| {
                chapters.of_mut::<WordOrder>().move_token(count, from, to)
            });
            self.held.set(Some(to));
        }
    }

    /// Moves the held token by one place.
    fn step(self, by: isize) {
        let held = self.held.get_untracked();
        if let Some((from, to)) = held.and_then(|from| Some((from, from.checked_add_signed(by)?))) {
            self.move_to(from, to);
        }
    }

    fn on_key(self, place: usize, event: &KeyboardEvent) {
        let to = match event.key().as_str() {
            "ArrowLeft" => place.checked_sub(1),
            "ArrowRight" => Some(place + 1),
            "Home" => Some(0),
            "End" => self.count().checked_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let Some(to) = to {
            self.move_to(place, to);
            self.focus();
        }
    }

    /// The keyboard follows the token that was moved.
    fn focus(self) {
        let row = self.row;
        request_animation_frame(move || {
            let row = row.get_untracked();
            let held = row.and_then(|row| {
                row.query_selector("[aria-pressed='true']")
                    .or_logged("finding the chosen word")?
            });
            if let Some(button) = held.and_then(|held| held.dyn_into::<HtmlElement>().ok()) {
                button.focus().or_logged("moving the focus");
            }
        });
    }
}

/// The row of tokens and the buttons that change it.
#[component]
pub fn Words(selection: OrderSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let moving = Moving {
        selection,
        state,
        held: RwSignal::new(None),
        dragged: RwSignal::new(false),
        row: NodeRef::new(),
    };
    let positions = state.select(|view| view.chapters.of::<WordOrder>().positions);
    let unmasked = state.select(|view| view.chapters.of::<WordOrder>().unmasked);
    let places = move |change: fn(usize) -> Vec<usize>| {
        let count = moving.count();
        moving.held.set(None);
        state.update_chapters(|chapters| chapters.of_mut::<WordOrder>().places = change(count));
    };
    let is_held = move || moving.held.get().is_some();
    view! {
        <div class="word-order" data-testid="word-order">
            <ol
                node_ref=moving.row
                aria-label=move || t_string!(i18n, order.tokens).to_owned()
                on:pointerup=move |_| moving.dragged.set(false)
                on:pointerleave=move |_| moving.dragged.set(false)
            >
                {move || tokens(moving)}
            </ol>
            <p class="hint">
                {t!(i18n, order.move_hint)}
                <KeyHint>{t!(i18n, order.move_keys)}</KeyHint>
            </p>
            <div class="word-order-controls">
                <button
                    type="button"
                    class="plain-button"
                    data-testid="order-earlier"
                    disabled=move || !is_held()
                    on:click=move |_| moving.step(-1)
                >
                    {t!(i18n, order.earlier)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="order-later"
                    disabled=move || !is_held()
                    on:click=move |_| moving.step(1)
                >
                    {t!(i18n, order.later)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="order-reverse"
                    on:click=move |_| places(|_| Vec::new())
                >
                    {t!(i18n, order.reverse)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="order-reset"
                    on:click=move |_| places(|count| (0..count).collect())
                >
                    {t!(i18n, order.reset)}
                </button>
                <Check
                    name=Signal::derive(move || t_string!(i18n, order.positions).to_owned())
                    test_id="order-positions"
                    on=positions
                    set=move |on| state.update_chapters(|chapters| chapters.of_mut::<WordOrder>().positions = on)
                />
                <Show when=move || selection.is_causal_model()>
                    <Check
                        name=Signal::derive(move || t_string!(i18n, order.mask).to_owned())
                        test_id="order-mask"
                        on=Signal::derive(move || !unmasked.get())
                        set=move |on| state.update_chapters(|chapters| chapters.of_mut::<WordOrder>().unmasked = !on)
                    />
                </Show>
            </div>
        </div>
    }
}

/// A button for each token.
fn tokens(moving: Moving) -> Option<impl IntoView> {
    let i18n = use_i18n();
    let input = moving.selection.input.get()?;
    let order = input.order.clone();
    let count = order.len();
    let called = token_name();
    let button = move |(place, &token): (usize, &usize)| {
        let name = input.tokens().get(token).map(called);
        let name = name.unwrap_or_default();
        let spoken = {
            let name = name.clone();
            move || {
                let (name, place) = (name.clone(), place + 1);
                t_string!(
                    i18n,
                    order.token_at,
                    name = name,
                    place = place,
                    count = count
                )
            }
        };
        view! {
            <li>
                <button
                    type="button"
                    class="word"
                    class:moved=token != place
                    data-place=place
                    aria-label=spoken
                    aria-pressed=move || (moving.held.get() == Some(place)).to_string()
                    on:keydown=move |event| moving.on_key(place, &event)
                    on:pointerdown=move |_| {
                        moving.held.set(Some(place));
                        moving.dragged.set(true);
                    }
                    on:pointerenter=move |_| {
                        let held = moving.held.get_untracked();
                        if let (true, Some(from)) = (moving.dragged.get_untracked(), held) {
                            moving.move_to(from, place);
                        }
                    }
                    on:focus=move |_| if !moving.dragged.get_untracked() {
                        moving.held.set(Some(place));
                    }
                >
                    {name}
                </button>
            </li>
        }
    };
    Some(order.iter().enumerate().map(button).collect_view())
}
