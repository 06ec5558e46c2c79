//! The choice of the text that heads are measured on.

use leptos::prelude::*;

use super::corpus::CorpusPanel;
use crate::{
    i18n::{t_string, use_i18n},
    state::{RolesOf, ViewState},
    widgets::Segmented,
};

/// The choice between this text, the sentences that are published with the model, if there are any, and the visitor's.
#[component]
pub fn MeasuredOn(
    /// True if the model has published sentences.
    #[prop(into)]
    has_set: Signal<bool>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chosen = state.select(|view| view.roles.of);
    let options = Signal::derive(move || {
        let published = (
            RolesOf::Sentences,
            t_string!(i18n, roles.of_sentences).to_owned(),
        );
        let published = has_set.get().then_some(published);
        let text = (RolesOf::Text, t_string!(i18n, roles.of_text).to_owned());
        let file = (RolesOf::File, t_string!(i18n, corpus.of_file).to_owned());
        [text]
            .into_iter()
            .chain(published)
            .chain([file])
            .collect::<Vec<_>>()
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, roles.measured_on).to_owned())
            options
            value=chosen
            choose=move |of| state.update_roles(|roles| roles.of = of)
        />
        <Show when=move || chosen.get() == RolesOf::File>
            <CorpusPanel />
        </Show>
    }
}
