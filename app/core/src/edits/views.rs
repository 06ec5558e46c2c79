//! Views of edits whose code is in the chunk that the first picture does not need: at first nothing is edited.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    bar::{Bar, Line},
    control::EditControl,
    distribution::Choices,
    game::Game,
    importance::Note,
};
use crate::{engine::Live, state::ViewState, widgets::Later};

/// The changes, entry by entry, and their effect; nothing if there is no change, nor one that was undone.
#[component]
pub fn EditBar() -> impl IntoView {
    view! { <Later load=edit_bar when=has_changes() /> }
}

/// Number of changes in a line, with Undo, Redo and all on; nothing if there is no change, nor one that was undone.
#[component]
pub fn EditLine() -> impl IntoView {
    view! { <Later load=edit_line when=has_changes() /> }
}

/// True if something is changed, or was and can be again.
fn has_changes() -> Memo<bool> {
    let control = EditControl::expect();
    let is_changed = ViewState::expect().select(|view| !view.edits.is_empty());
    Memo::new(move |_| is_changed.get() || control.can_redo())
}

/// Shows the progress of measuring the heads' importance and the meaning of its bars; nothing where it is not shown.
#[component]
pub fn ImportanceNote() -> impl IntoView {
    let is_on = ViewState::expect().select(|view| view.importance);
    view! { <Later load=importance_note when=is_on /> }
}

/// The game of taking heads out; nothing where it is not played.
#[component]
pub fn GamePanel() -> impl IntoView {
    let is_on = ViewState::expect().select(|view| view.game.is_some());
    view! { <Later load=game when=is_on /> }
}

/// Shows the model's candidates at the selected step, without changes and with them; nothing where nothing is changed.
#[component]
pub fn Distributions() -> impl IntoView {
    let is_compared = Live::expect().select(|engine| engine.without_edits().is_some());
    view! { <Later load=distributions when=is_compared /> }
}

#[wasm_split(views, fallible)]
fn edit_bar() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Bar /> }.into_any())
}

#[wasm_split(views, fallible)]
fn edit_line() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Line /> }.into_any())
}

#[wasm_split(views, fallible)]
fn importance_note() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Note /> }.into_any())
}

#[wasm_split(views, fallible)]
fn game() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Game /> }.into_any())
}

#[wasm_split(views, fallible)]
fn distributions() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Choices /> }.into_any())
}
