//! Which kind of attention, and how it is drawn.

use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::context::HeadsContext;
use crate::{
    i18n::{t, t_string, use_i18n},
    selection::KindChoice,
    state::{Representation, ViewState},
    widgets::Segmented,
};

/// The row of choices above the figure.
#[component]
pub fn Toolbar() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let normalised = state.select(|view| view.normalised);
    let representation = state.select(|view| view.representation);
    view! {
        <div class="toolbar">
            <Kinds />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, heads.representation).to_owned())
                options=Signal::derive(move || vec![
                    (Representation::Heatmap, t_string!(i18n, heads.heatmap).to_owned()),
                    (Representation::Lines, t_string!(i18n, heads.lines).to_owned()),
                    (Representation::Sentence, t_string!(i18n, heads.sentence).to_owned()),
                ])
                value=representation
                choose=move |choice| state.set_representation(choice)
            />
            <label class="toggle">
                <input
                    type="checkbox"
                    data-testid="normalise"
                    prop:checked=normalised
                    on:change:target=move |event| state.set_normalised(event.target().checked())
                />
                <span>{t!(i18n, heads.normalise)}</span>
            </label>
        </div>
    }
}

/// The kinds of attention that the model on screen has.
#[component]
fn Kinds() -> impl IntoView {
    let context = HeadsContext::expect();
    let kinds = Memo::new(move |_| {
        context
            .trace()
            .map_or_else(Vec::new, |trace| trace.meta.spec.kinds())
    });
    let chosen = Memo::new(move |_| {
        let chosen = context.chosen().map(|choice| choice.attention.kind);
        chosen.unwrap_or(AttentionKind::Cross)
    });
    view! { <KindChoice kinds chosen /> }
}
