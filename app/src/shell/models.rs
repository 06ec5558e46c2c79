//! The choice of a model.

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{encoding_names, model_name},
    state::{Model, Target, ViewState},
    widgets::Segmented,
};

/// Stands for the six models that differ in how they know positions.
const ANY_RECALL: Model = Model::Recall(PositionalEncoding::Rope);
/// Stands for the six of verse.
const ANY_POEMS: Model = Model::Poems(PositionalEncoding::Learned);
/// Stands for the one model that writes several languages.
const ANY_TARGET: Model = Model::FromEnglish(Target::French);
/// The models to choose from.
const GROUPS: [Model; 5] = [
    Model::Translator,
    ANY_TARGET,
    Model::Sentences,
    ANY_RECALL,
    ANY_POEMS,
];

/// The models, those of one task as one; which of them, where that one is chosen.
#[component]
pub fn ModelChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = model_name();
    let group = state.select(|view| match view.model {
        Model::Recall(_) => ANY_RECALL,
        Model::Poems(_) => ANY_POEMS,
        Model::FromEnglish(_) => ANY_TARGET,
        model => model,
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.model).to_owned())
            options=Signal::derive(move || {
                GROUPS.iter().map(|&model| (model, name(model))).collect()
            })
            value=group
            choose=move |model| {
                state.set_model(model);
                live.run();
            }
        />
        <Show when=move || group.get() == ANY_TARGET>
            <TargetChoice />
        </Show>
        <Show when=move || group.get() == ANY_RECALL>
            <EncodingChoice model=Model::Recall />
        </Show>
        <Show when=move || group.get() == ANY_POEMS>
            <EncodingChoice model=Model::Poems />
        </Show>
    }
}

/// The language that English is translated into. The text stays.
#[component]
fn TargetChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let target = state.select(|view| match view.model {
        Model::FromEnglish(target) => target,
        _ => Target::French,
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.target).to_owned())
            options=Signal::derive(move || vec![
                (Target::French, t_string!(i18n, shell.french).to_owned()),
                (Target::Chinese, t_string!(i18n, shell.chinese).to_owned()),
            ])
            value=target
            choose=move |target| {
                state.set_sibling(Model::FromEnglish(target));
                live.run();
            }
        />
    }
}

/// How the model knows positions. The text stays: the six are there to be compared on one.
#[component]
fn EncodingChoice(
    /// The model that knows positions in a way.
    model: fn(PositionalEncoding) -> Model,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let encoding = state.select(|view| view.model.way_to_know_positions());
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.encoding).to_owned())
            options=encoding_names()
            value=encoding
            choose=move |encoding| {
                state.set_sibling(model(encoding));
                live.run();
            }
        />
    }
}
