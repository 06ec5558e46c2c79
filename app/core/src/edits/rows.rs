//! The edits that have a switch, row by row.

use attention_protocol::OrLogged;
use leptos::prelude::*;

use super::{
    control::{EditControl, Refused},
    idle::Idle,
    refusal::RefusalNote,
    words::edit_words,
};
use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    state::{Given as _, GivenEdit, ListedEdit, View, ViewState},
    widgets::CopyButton,
};

/// Each with its switch, its name and a button that removes it; nothing where none is given.
#[component]
pub fn Rows() -> impl IntoView {
    let i18n = use_i18n();
    let edits = ViewState::expect().select(switched);
    let is_listed =
        move |refused: &Refused| edits.read().iter().any(|it| it.replaces(&refused.edit));
    view! {
        <div class="weight-list" class:is-hidden=move || edits.read().is_empty()>
            <ul data-testid="weights" aria-label=move || t_string!(i18n, edits.weights)>
                <For each=move || edits.get() key=key let(edit)>
                    <Row edit />
                </For>
            </ul>
            <RefusalNote is_meant=is_listed />
            <CopyList />
        </div>
    }
}

/// Returns the edits of a view that have a switch, those that are off included.
fn switched(view: &View) -> Vec<GivenEdit> {
    let listed = view.edits.iter().map(|listed| &listed.edit);
    let switched = listed.filter(|edit| edit.kind().is_switched);
    switched.cloned().collect()
}

/// Returns a key that an edit shares with those that replace it: the row stays.
fn key(edit: &GivenEdit) -> (&'static str, String) {
    (edit.kind().entry, edit.part())
}

#[component]
fn Row(
    /// The edit that the row begins with; others may replace it.
    edit: GivenEdit,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, control) = (Live::expect(), EditControl::expect());
    let edit = StoredValue::new(edit);
    let listed = ViewState::expect()
        .select(move |view| edit.with_value(|edit| view.edits.at(edit).cloned()));
    let is_on = Memo::new(move |_| listed.read().as_ref().is_some_and(|one| one.is_on));
    let name = move || listed.get().map(|one| one.name).unwrap_or_default();
    let words = edit_words();
    let words = Memo::new(move |_| listed.get().map(|one| words(&one.edit)).unwrap_or_default());
    let idle = Memo::new(move |_| {
        let ListedEdit { edit, is_on, .. } = listed.get()?;
        let trace = live.trace()?;
        is_on.then(|| Idle::of(&edit, &trace.meta)).flatten()
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
                        edit.with_value(|edit| control.switch(edit));
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
                on:change:target=move |event| edit.with_value(|edit| {
                    control.rename(edit, &event.target().value());
                })
            />
            <button
                type="button"
                class="plain-button"
                aria-label=move || t_string!(i18n, edits.remove, edit = words.get())
                on:click=move |_| edit.with_value(|edit| control.remove(edit))
            >
                "✕"
            </button>
            <span class="hint" data-testid="weight-idle">{why}</span>
        </li>
    }
}

/// Copies what is changed as `attn translate --edits` reads it.
#[component]
fn CopyList() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let text = move || {
        serde_json::to_string_pretty(&live.edits_in_view())
            .or_logged("spelling the edits")
            .unwrap_or_default()
    };
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
