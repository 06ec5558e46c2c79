//! The choice of a model.

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::encoding_names,
    state::{Model, ViewState},
    widgets::Segmented,
};

/// Stands for the six models that differ in how they know positions.
const ANY_RECALL: Model = Model::Recall(PositionalEncoding::Rope);

/// The models, the six of one task as one; which of them, where that one is chosen.
#[component]
pub fn ModelChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let group = state.select(|view| match view.model {
        Model::Recall(_) => ANY_RECALL,
        model => model,
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.model).to_owned())
            options=Signal::derive(move || vec![
                (Model::Translator, t_string!(i18n, shell.translator).to_owned()),
                (Model::Sentences, t_string!(i18n, shell.sentences).to_owned()),
                (ANY_RECALL, t_string!(i18n, shell.recall).to_owned()),
            ])
            value=group
            choose=move |model| {
                state.set_model(model);
                live.run();
            }
        />
        <Show when=move || group.get() == ANY_RECALL>
            <EncodingChoice />
        </Show>
    }
}

/// How the model knows positions. The text stays: the six are there to be compared on one.
#[component]
fn EncodingChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let encoding = state.select(|view| match view.model {
        Model::Recall(encoding) => encoding,
        _ => PositionalEncoding::default(),
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.encoding).to_owned())
            options=encoding_names()
            value=encoding
            choose=move |encoding| {
                state.set_sibling(Model::Recall(encoding));
                live.run();
            }
        />
    }
}
