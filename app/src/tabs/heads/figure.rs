//! The selected head, large, in the representation that was chosen.

use leptos::prelude::*;

use super::{
    context::HeadsContext,
    heatmap::Heatmap,
    legend::Legend,
    lines::Lines,
    sentence::Sentence,
    toolbar::{Normalise, Toolbar},
};
use crate::{
    i18n::{t, t_string, use_i18n},
    names::kind_name,
    state::{Representation, ViewState},
};

/// The large figure.
#[component]
pub fn Figure() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let kind = kind_name();
    let representation = ViewState::expect().select(|view| view.representation);
    let title = move || {
        context.head().map(|choice| {
            t_string!(
                i18n,
                heads.full_name,
                layer = choice.attention.layer + 1,
                head = choice.head + 1,
                kind = kind(choice.attention.kind)
            )
        })
    };
    let recorded = Memo::new(move |_| context.with_picture(|_, _, _| ()).is_some());
    view! {
        <section class="figure-panel" data-testid="figure">
            <div class="figure-head">
                <h2 class="panel-title" data-testid="figure-title">{title}</h2>
                <Toolbar />
            </div>
            <Show when=move || representation.get() == Representation::Heatmap>
                <div class="figure-scale">
                    <Legend />
                    <Normalise />
                </div>
            </Show>
            <Show
                when=move || recorded.get()
                fallback=move || view! { <p class="hint">{t!(i18n, heads.missing)}</p> }
            >
                {move || match representation.get() {
                    Representation::Heatmap => view! { <Heatmap /> }.into_any(),
                    Representation::Lines => view! { <Lines /> }.into_any(),
                    Representation::Sentence => view! { <Sentence /> }.into_any(),
                }}
            </Show>
        </section>
    }
}
