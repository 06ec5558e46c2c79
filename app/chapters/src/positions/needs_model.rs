//! Figures of one of the small models that differ in their positions, and the way to it where another is on screen.

use attention_trace::{TraceMeta, positions::PositionalEncoding};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Model, View},
};

/// Whether the model on screen knows positions that way.
pub fn is_on_screen(encoding: PositionalEncoding) -> Memo<bool> {
    let live = Live::expect();
    let matches = move |meta: &TraceMeta| meta.spec.positions.encoding == encoding;
    Memo::new(move |_| live.trace().is_some_and(|trace| matches(&trace.meta)))
}

/// What is shown where another model is on screen: the way to the one that is needed.
#[component]
pub fn NeedsModel(
    /// Which.
    model: Model,
) -> impl IntoView {
    let i18n = use_i18n();
    let change = move |view: &mut View| view.use_model(model);
    view! {
        <p class="hint">{t!(i18n, encodings.needs_model)}</p>
        <ViewLink change class="link-button" test_id="use-positions-model">
            {t!(i18n, encodings.use_model)}
        </ViewLink>
    }
}
