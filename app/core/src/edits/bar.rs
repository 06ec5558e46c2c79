//! The list of what is changed with what comes of it, and the line that says so elsewhere.

use attention_protocol::OrLogged;
use leptos::{html, prelude::*};

use super::{
    control::EditControl,
    rows::Rows,
    texts::Texts,
    words::{edit_words, extent, removal},
};
use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{EditList, Given as _, GivenEdit, HeadChoice, Tool, View, ViewState},
};

/// Number of changes in a line, with Undo, Redo and all on.
#[component]
pub fn Line() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let tool = move || match state.get_untracked().edits.heads_off().is_empty() {
        true => Tool::Weight,
        false => Tool::Off,
    };
    view! {
        <section
            class="edit-bar"
            data-testid="edits-line"
            aria-label=move || t_string!(i18n, edits.bar)
        >
            <div class="edit-list">
                <Count />
                <AllOn node_ref=NodeRef::new() />
                <Back />
                <button
                    type="button"
                    class="link-button"
                    data-testid="edits-effect"
                    on:click=move |_| state.set_tool(tool())
                >
                    {t!(i18n, edits.what_it_does)}
                </button>
            </div>
            <Pending />
        </section>
    }
}

/// The changes, entry by entry, and both texts.
#[component]
pub fn Bar() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section
            class="edit-bar"
            data-testid="edit-bar"
            aria-label=move || t_string!(i18n, edits.bar)
        >
            <List />
            <Rows />
            <Pending />
            <Texts />
        </section>
    }
}

/// The edits without a switch, each with a button that takes it back, and the way back.
#[component]
fn List() -> impl IntoView {
    let edits = ViewState::expect().select(unswitched);
    let all_on = NodeRef::new();
    view! {
        <div class="edit-list">
            <Count />
            <ul class="edit-heads" class:is-hidden=move || edits.read().is_empty()>
                <For
                    each=move || edits.get()
                    key=ToString::to_string
                    let(edit)
                >
                    <Chip edit all_on />
                </For>
            </ul>
            <AllOn node_ref=all_on />
            <Back />
        </div>
    }
}

/// Returns the edits of a view that have no switch in the list.
fn unswitched(view: &View) -> Vec<GivenEdit> {
    let edits = view.edits.given();
    let edits = edits.filter(|edit| !edit.kind().is_switched);
    edits.cloned().collect()
}

#[component]
fn Count() -> impl IntoView {
    let i18n = use_i18n();
    let edits = ViewState::expect().select(|view| view.edits.on());
    view! { <strong data-testid="edit-count">{move || extent(i18n, &edits.read())}</strong> }
}

#[component]
fn AllOn(node_ref: NodeRef<html::Button>) -> impl IntoView {
    let i18n = use_i18n();
    let (live, off) = (Live::expect(), off());
    view! {
        <button
            type="button"
            class="plain-button"
            class:is-hidden=move || off.read().is_empty()
            data-testid="all-on"
            node_ref=node_ref
            on:click=move |_| live.edit(EditList::switch_heads_on)
        >
            {t!(i18n, edits.all_on)}
        </button>
    }
}

fn off() -> Memo<Vec<HeadChoice>> {
    ViewState::expect().select(|view| view.edits.heads_off())
}

/// Undoes the last change, and does it again. The buttons stay where they are, so that the focus does.
#[component]
fn Back() -> impl IntoView {
    let i18n = use_i18n();
    let control = EditControl::expect();
    view! {
        <span class="edit-back">
            <button
                type="button"
                class="plain-button"
                data-testid="undo"
                aria-disabled=move || (!control.can_undo()).to_string()
                aria-keyshortcuts="Control+Z"
                on:click=move |_| control.undo()
            >
                {t!(i18n, edits.undo)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="redo"
                aria-disabled=move || (!control.can_redo()).to_string()
                aria-keyshortcuts="Control+Shift+Z"
                on:click=move |_| control.redo()
            >
                {t!(i18n, edits.redo)}
            </button>
        </span>
    }
}

#[component]
fn Chip(
    edit: GivenEdit,
    /// The button that takes the focus when the edit leaves the list.
    all_on: NodeRef<html::Button>,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let edit = StoredValue::new(edit);
    let words = edit_words();
    let words = move || edit.with_value(words);
    let is_idle = Memo::new(move |_| {
        let trace = live.trace();
        trace.is_some_and(|trace| edit.with_value(|edit| !edit.is_in(&trace.meta.spec)))
    });
    let (test_id, head) = edit.with_value(|edit| match edit {
        GivenEdit::Off(head) => ("edit", Some(head.to_string())),
        edit => (edit.kind().entry, None),
    });
    let remove = move |_| {
        live.edit(|edits| edit.with_value(|edit| edits.remove(edit)));
        if let Some(button) = all_on.get_untracked() {
            button.focus().or_logged("moving the focus");
        }
    };
    view! {
        <li>
            <button
                type="button"
                class="chip edit-head"
                class:is-idle=is_idle
                data-testid=test_id
                data-head=head
                aria-label=move || edit.with_value(|edit| removal(i18n, edit, words()))
                title=move || is_idle.get().then(|| t_string!(i18n, edits.idle_hint))
                on:click=remove
            >
                {words}
                <Show when=move || is_idle.get()>
                    <span class="hint">" · " {t!(i18n, edits.idle)}</span>
                </Show>
                <span aria-hidden="true">" ✕"</span>
            </button>
        </li>
    }
}

/// Says what of this is still to be run.
#[component]
fn Pending() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let edits = ViewState::expect().select(|view| view.edits.on());
    let unedited_first = live.select(|engine| {
        let running = engine.running.as_ref();
        running.is_some_and(|running| running.is_unedited)
    });
    let shown = live.select(|engine| {
        let is_busy = engine.running.is_some() || engine.is_starting();
        let job = engine.shown.as_ref()?.job.as_ref()?;
        (!is_busy).then(|| job.edits.clone())
    });
    let is_pending = Memo::new(move |_| shown.get().is_some_and(|shown| shown != edits.get()));
    view! {
        <Show when=move || unedited_first.get()>
            <p class="hint" role="status">{t!(i18n, edits.first_without)}</p>
        </Show>
        <Show when=move || is_pending.get()>
            <p class="hint" data-testid="edits-pending">
                {t!(i18n, edits.pending)} " "
                <button
                    type="button"
                    class="link-button"
                    on:click=move |_| live.run_as_entry()
                >
                    {t!(i18n, shell.run)}
                </button>
            </p>
        </Show>
    }
}
