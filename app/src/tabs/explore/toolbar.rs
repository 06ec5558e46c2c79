//! The choice of the inspector's content.

use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::{Representation, ViewState},
    widgets::Segmented,
};

/// The drawings of the head, the decoding step, and the tools, with the number of kept results.
#[component]
pub fn Toolbar() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let representation = state.select(|view| view.representation);
    let kept = state.select(|view| view.evidence.len());
    let claim = move || match kept.get() {
        0 => t_string!(i18n, heads.claim).to_owned(),
        count => t_string!(i18n, heads.claim_kept, count = count),
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, heads.representation).to_owned())
            options=Signal::derive(move || vec![
                (Representation::Heatmap, t_string!(i18n, heads.heatmap).to_owned()),
                (Representation::Lines, t_string!(i18n, heads.lines).to_owned()),
                (Representation::Sentence, t_string!(i18n, heads.sentence).to_owned()),
                (Representation::NextWord, t_string!(i18n, heads.next_word).to_owned()),
                (Representation::Claim, claim()),
            ])
            value=representation
            choose=move |choice| state.set_representation(choice)
        />
    }
}

/// The switch that gives each map its own scale.
#[component]
pub fn Normalise() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let normalised = state.select(|view| view.normalised);
    view! {
        <label class="toggle">
            <input
                type="checkbox"
                data-testid="normalise"
                prop:checked=normalised
                on:change:target=move |event| state.set_normalised(event.target().checked())
            />
            <span>{t!(i18n, heads.normalise)}</span>
        </label>
    }
}
