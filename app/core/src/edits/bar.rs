//! The list of what is changed with what comes of it, and the line that says so elsewhere.

use leptos::{html, prelude::*};

use super::{
    control::EditControl,
    mark::{Extent, edited},
    reweighed::ReweighedChip,
    texts::Texts,
    weights::Weights,
};
use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::{HeadChoice, HeadsOff, Tool, View, ViewState},
};

/// Number of changes in a line, with Undo, Redo and all on.
#[component]
pub fn Line() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let tool = move || match state.get_untracked().off.is_empty() {
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
            <Weights />
            <Pending />
            <Texts />
        </section>
    }
}

/// The heads, each with a button that switches it on, and the way back.
#[component]
fn List() -> impl IntoView {
    let off = off();
    let heads = move || off.get().iter().collect::<Vec<HeadChoice>>();
    let all_on = NodeRef::new();
    view! {
        <div class="edit-list">
            <Count />
            <ul class="edit-heads" class:is-hidden=move || off.read().is_empty()>
                <For
                    each=heads
                    key=ToString::to_string
                    let(head)
                >
                    <Chip head all_on />
                </For>
            </ul>
            <ReweighedChip />
            <AllOn node_ref=all_on />
            <Back />
        </div>
    }
}

#[component]
fn Count() -> impl IntoView {
    let i18n = use_i18n();
    let extent = ViewState::expect().select(|view| Extent::of(&view.changes()));
    view! { <strong data-testid="edit-count">{move || edited(i18n, extent.get())}</strong> }
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
            on:click=move |_| live.switch_off(Default::default())
        >
            {t!(i18n, edits.all_on)}
        </button>
    }
}

fn off() -> Memo<HeadsOff> {
    ViewState::expect().select(|view| view.off.clone())
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
    head: HeadChoice,
    /// The button that takes the focus when the head leaves the list.
    all_on: NodeRef<html::Button>,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = head_name();
    let name = move || name(head.attention, head.head);
    let is_idle = Memo::new(move |_| {
        let trace = live.trace();
        trace.is_some_and(|trace| !head.is_in(&trace.meta.spec))
    });
    let switch_on = move |_| {
        live.toggle_heads(&[head]);
        if let Some(button) = all_on.get_untracked() {
            // Fails only for an element that is no longer in the document.
            let _ = button.focus();
        }
    };
    view! {
        <li>
            <button
                type="button"
                class="chip edit-head"
                class:is-idle=is_idle
                data-testid="edit"
                data-head=head.to_string()
                aria-label=move || t_string!(i18n, edits.switch_on, head = name())
                title=move || is_idle.get().then(|| t_string!(i18n, edits.idle_hint))
                on:click=switch_on
            >
                {name}
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
    let changes = ViewState::expect().select(View::changes);
    let unedited_first = live.select(|engine| {
        let running = engine.running.as_ref();
        running.is_some_and(|running| running.is_unedited)
    });
    let shown = live.select(|engine| {
        let is_busy = engine.running.is_some() || engine.is_starting();
        let job = engine.shown.as_ref()?.job.as_ref()?;
        (!is_busy).then(|| job.changes.clone())
    });
    let is_pending = Memo::new(move |_| shown.get().is_some_and(|shown| shown != changes.get()));
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
                    on:click=move |_| live.switch_off(changes.get_untracked().off)
                >
                    {t!(i18n, shell.run)}
                </button>
            </p>
        </Show>
    }
}
