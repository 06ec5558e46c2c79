//! The control and the result of each tool.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::tabs::explore::{
    context::HeadsContext,
    details::{Editor, NoWeight, Readout},
    display::{DisplayChoice, DisplayEffects},
    figure::{GivenNote, several},
    heatmap::Heatmap,
    legend::Legend,
};
use attention_chapters::{Lacking, Needs, ToolFigures, has_what_is_needed};
use attention_core::{
    edits::{
        EditBar, GamePanel, GameToggle, ImportanceNote, ImportanceToggle, OffBy, SwitchOff,
        effect_words, importance_words,
    },
    roles::{RolesNote, RolesToggle, role_words},
    state::{Tool, ViewState},
    widgets::{Finding, Later},
};

/// The body of a tool: its control and its result.
#[component]
pub fn Body(tool: Tool) -> impl IntoView {
    let body: fn() -> AnyView = match tool {
        Tool::Off => || view! { <Off /> }.into_any(),
        Tool::Weight => || view! { <Weight /> }.into_any(),
        Tool::Importance => || view! { <EachHead /> }.into_any(),
        Tool::Roles => || view! { <Roles /> }.into_any(),
        Tool::Patch | Tool::Lens | Tool::Permute | Tool::Compare | Tool::Align | Tool::Raw => {
            return view! { <Later load=of_chapter when=|| true /> }.into_any();
        }
    };
    let has_attention = has_what_is_needed(Needs::Attention);
    view! {
        <Show
            when=move || has_attention.get()
            fallback=|| view! { <Lacking needs=Needs::Attention /> }
        >
            {body()}
        </Show>
    }
    .into_any()
}

/// Returns the figures of the view's tool; each tool has its own frame around them. In the chunk with everything that
/// only the chapters use.
#[wasm_split(learn, fallible)]
fn of_chapter() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| {
        let tool = ViewState::expect().get_untracked().tool;
        view! { <ToolFigures tool /> }.into_any()
    })
}

/// The tool that switches the chosen heads off.
#[component]
fn Off() -> impl IntoView {
    let context = HeadsContext::expect();
    let are_several = move || context.chosen_heads().len() > 1;
    Finding::tell(effect_words());
    view! {
        <div class="claim-controls">
            <SwitchOff heads=Signal::derive(move || context.heads()) />
            <OffBy />
        </div>
        <Later load=several when=are_several />
        <EditBar />
    }
}

/// The tool that gives the locked cell a weight.
#[component]
fn Weight() -> impl IntoView {
    let context = HeadsContext::expect();
    let is_edited = Memo::new(move |_| context.weight_place().is_some());
    Finding::tell(effect_words());
    view! {
        <Legend />
        <DisplayChoice />
        <Heatmap />
        <DisplayEffects />
        <GivenNote />
        <Readout />
        <NoWeight />
        <Show when=move || is_edited.get()>
            <Editor />
        </Show>
        <EditBar />
    }
}

/// The tool that switches off each head separately, and removes heads one after the other.
#[component]
fn EachHead() -> impl IntoView {
    let context = HeadsContext::expect();
    Finding::tell(importance_words(Signal::derive(move || context.chosen())));
    view! {
        <div class="claim-controls">
            <ImportanceToggle />
            <GameToggle />
            <OffBy />
        </div>
        <ImportanceNote />
        <GamePanel />
    }
}

/// The tool that measures the roles of heads.
#[component]
fn Roles() -> impl IntoView {
    let context = HeadsContext::expect();
    Finding::tell(role_words(Signal::derive(move || context.chosen())));
    view! {
        <div class="claim-controls">
            <RolesToggle />
        </div>
        <RolesNote />
    }
}
