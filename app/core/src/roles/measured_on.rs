//! The choice of the text that heads are measured on.

use leptos::prelude::*;

use crate::{
    i18n::{t_string, use_i18n},
    state::{ImportanceOf, ViewState},
    widgets::Segmented,
};

/// The choice between this text and the sentences that are published with the model, if there are any.
#[component]
pub fn MeasuredOn(
    /// True if the model has published sentences.
    #[prop(into)]
    has_set: Signal<bool>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chosen = state.select(|view| view.roles.of);
    view! {
        <Show when=move || has_set.get()>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, roles.measured_on).to_owned())
                options=Signal::derive(move || vec![
                    (ImportanceOf::Text, t_string!(i18n, roles.of_text).to_owned()),
                    (ImportanceOf::Sentences, t_string!(i18n, roles.of_sentences).to_owned()),
                ])
                value=chosen
                choose=move |of| state.update_roles(|roles| roles.of = of)
            />
        </Show>
    }
}
