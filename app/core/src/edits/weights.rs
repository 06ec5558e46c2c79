//! The list of the weights that are given.

use attention_trace::Token;
use leptos::prelude::*;

use super::{
    cell::spelled,
    control::{EditControl, Refused},
    idle::Idle,
    refusal::RefusalNote,
};
use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{head_name, token_name},
    state::{GivenWeight, ListedWeight, ViewState, WeightPlace},
    widgets::CopyButton,
};

/// Each with its switch, its name and a button that removes it; nothing where none is given.
#[component]
pub fn Weights() -> impl IntoView {
    let i18n = use_i18n();
    let weights = ViewState::expect().select(|view| view.weights.clone());
    let places = Memo::new(move |_| {
        let places = weights.read();
        places.iter().map(|one| one.given.place).collect::<Vec<_>>()
    });
    let is_listed = move |place: WeightPlace| weights.read().at(place).is_some();
    view! {
        <div class="weight-list" class:is-hidden=move || weights.read().is_empty()>
            <ul data-testid="weights" aria-label=move || t_string!(i18n, edits.weights)>
                <For each=move || places.get() key=key let(place)>
                    <Row place />
                </For>
            </ul>
            <RefusalNote is_meant=move |refused: Refused| is_listed(refused.place) />
            <CopyList />
        </div>
    }
}

/// Returns a key that identifies a place in the list.
fn key(place: &WeightPlace) -> String {
    format!("{}.{:?}.{}", place.head, place.query, place.key)
}

#[component]
fn Row(place: WeightPlace) -> impl IntoView {
    let i18n = use_i18n();
    let (live, control) = (Live::expect(), EditControl::expect());
    let listed = ViewState::expect().select(move |view| view.weights.at(place).cloned());
    let is_on = Memo::new(move |_| listed.read().as_ref().is_some_and(|one| one.is_on));
    let name = move || listed.get().map(|one| one.name).unwrap_or_default();
    let words = words();
    let words = Memo::new(move |_| listed.get().map(|one| words(one.given)).unwrap_or_default());
    let idle = Memo::new(move |_| {
        let ListedWeight { given, is_on, .. } = listed.get()?;
        let trace = live.trace()?;
        is_on.then(|| Idle::of(given, &trace.meta)).flatten()
    });
    let why = move || {
        idle.get().map(|idle| match idle {
            Idle::Head => t_string!(i18n, edits.idle_head),
            Idle::Query => t_string!(i18n, edits.idle_query),
            Idle::Key => t_string!(i18n, edits.idle_key),
            Idle::Masked => t_string!(i18n, edits.idle_masked),
        })
    };
    view! {
        <li class:is-idle=move || idle.get().is_some() data-testid="weight">
            <label class="check">
                <input
                    type="checkbox"
                    role="switch"
                    prop:checked=is_on
                    on:change:target=move |event| {
                        control.switch(place);
                        // Where that was refused, the switch is as it was.
                        event.target().set_checked(is_on.get_untracked());
                    }
                />
                <span>{words}</span>
            </label>
            <input
                type="text"
                class="text-field weight-name"
                maxlength=40
                placeholder=move || t_string!(i18n, edits.name)
                aria-label=move || t_string!(i18n, edits.name_of, edit = words.get())
                prop:value=name
                on:change:target=move |event| control.rename(place, &event.target().value())
            />
            <button
                type="button"
                class="plain-button"
                aria-label=move || t_string!(i18n, edits.remove, edit = words.get())
                on:click=move |_| control.remove(place)
            >
                "✕"
            </button>
            <span class="hint" data-testid="weight-idle">{why}</span>
        </li>
    }
}

/// A weight in words: head, query and key by their tokens in the text on screen, by their places where it has none
/// there.
fn words() -> impl Fn(GivenWeight) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let live = Live::expect();
    let (head_name, token_name) = (head_name(), token_name());
    move |given| {
        let WeightPlace { head, query, key } = given.place;
        let trace = live.trace();
        let axes = trace
            .as_ref()
            .map(|trace| trace.meta.axes(head.attention.kind));
        let token = |tokens: Option<&[Token]>, at: usize| {
            let token = tokens.and_then(|tokens| tokens.get(at));
            token.map_or_else(|| format!("#{}", at + 1), token_name)
        };
        let query = match query {
            Some(query) => token(axes.map(|(queries, _)| queries), query),
            None => t_string!(i18n, edits.every_query).to_owned(),
        };
        t_string!(
            i18n,
            edits.given,
            head = head_name(head.attention, head.head),
            query = query,
            key = token(axes.map(|(_, keys)| keys), key),
            weight = spelled(given.thousandths)
        )
    }
}

/// Copies what is changed as `attn translate --edits` reads it.
#[component]
fn CopyList() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let text = move || serde_json::to_string_pretty(&live.edits_in_view()).unwrap_or_default();
    view! {
        <CopyButton
            test_id="copy-edits"
            text
            name=Signal::derive(move || t_string!(i18n, edits.copy).to_owned())
            copied=Signal::derive(move || t_string!(i18n, edits.copied).to_owned())
            refused=Signal::derive(move || t_string!(i18n, edits.not_copied).to_owned())
        />
    }
}
