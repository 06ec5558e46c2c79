//! Notice for figures that need one of the small models with different positions, with a link to it while another is
//! on screen.

use attention_trace::{TraceMeta, positions::PositionalEncoding};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Model, View},
};

/// Returns true if the model on screen uses the encoding.
pub fn is_on_screen(encoding: PositionalEncoding) -> Memo<bool> {
    let live = Live::expect();
    let matches = move |meta: &TraceMeta| meta.spec.positions.encoding == encoding;
    Memo::new(move |_| live.trace().is_some_and(|trace| matches(&trace.meta)))
}

/// A link to the model that a figure needs, shown while another is on screen.
#[component]
pub fn NeedsModel(
    /// The model that the figure needs.
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
