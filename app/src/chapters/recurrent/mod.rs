//! Recurrent encoder–decoders: one vector between them, or attention to all states of the encoder, Bahdanau's and
//! Luong's; and what that is worth for sentences of every length.

mod alignment;
mod context;
mod lengths;
mod local;
mod prompts;
mod row;
mod scores;
mod vector;
mod written;

use leptos::prelude::*;

use self::{
    alignment::AlignmentFigure,
    context::RecurrentContext,
    lengths::{LengthPrompt, Lengths},
    local::LocalWindow,
    prompts::{EdgePrompt, VectorPrompt, WeightsPrompt},
    row::{RowFigure, ScoreFunction},
    scores::fetch_scores,
    vector::OneVector,
    written::{ModelOfChapter, Written},
};
use crate::{
    selection::{Lacking, Needs, has_what_is_needed},
    widgets::Prose,
};

/// The chapter.
#[component]
pub fn RecurrentChapter() -> impl IntoView {
    RecurrentContext::provide();
    let scores = fetch_scores();
    let has_attention = has_what_is_needed(|| Needs::Attention);
    view! {
        <Prose part="intro" />
        <ModelOfChapter />
        <Prose part="vector" />
        <OneVector />
        <VectorPrompt />
        <Prose part="written" />
        <Written scores />
        <Prose part="alignment" />
        <Show
            when=move || has_attention.get()
            fallback=|| view! { <Lacking needs=Needs::Attention /> }
        >
            <AlignmentFigure />
            <WeightsPrompt />
            <Prose part="functions" />
            <ScoreFunction />
            <RowFigure />
        </Show>
        <Prose part="local" />
        <LocalWindow />
        <EdgePrompt />
        <Prose part="lengths" />
        <Lengths scores />
        <LengthPrompt scores />
    }
}
