//! Sentences to begin with.

use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    kept::KeptModels,
    state::{Model, ViewState},
};

/// The chosen model's examples: a click runs one.
#[component]
pub fn Examples() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let model = state.select(|view| view.model);
    let kept = KeptModels::expect();
    let texts = move || match model.get() {
        Model::Trained(id) => kept
            .find(id)
            .map(|model| vec![model.text])
            .unwrap_or_default(),
        served => served
            .examples()
            .iter()
            .copied()
            .map(str::to_owned)
            .collect(),
    };
    let chip = move |text: String| {
        let example = text.clone();
        view! {
            <button
                type="button"
                class="chip"
                data-testid="example"
                on:click=move |_| {
                    state.set_text(example.clone());
                    live.run();
                }
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="examples" role="group" aria-label=move || t_string!(i18n, shell.examples)>
            <span class="examples-name" aria-hidden="true">{t!(i18n, shell.examples)}</span>
            {move || texts().into_iter().map(chip).collect_view()}
        </div>
    }
}
