//! A stack in which every fourth layer keeps keys and values, and the others a matrix.

use leptos::prelude::*;

use attention_core::i18n::{t_string, use_i18n};

/// The number of layers in the picture.
const LAYERS: usize = 8;
/// Every so many layers keep keys and values.
const EVERY: usize = 4;

#[component]
pub fn HybridStack() -> impl IntoView {
    let i18n = use_i18n();
    let layer = move |number: usize| {
        let keeps_all = number.is_multiple_of(EVERY);
        let words = move || match keeps_all {
            true => t_string!(i18n, recall.layer_softmax, number = number),
            false => t_string!(i18n, recall.layer_state, number = number),
        };
        view! { <li class="hybrid-layer" class:keeps-all=keeps_all>{words}</li> }
    };
    view! {
        <section class="lesson-figure" data-testid="hybrid-stack">
            <ol class="hybrid-stack" aria-label=move || t_string!(i18n, recall.hybrid).to_owned()>
                {(1..=LAYERS).map(layer).collect_view()}
            </ol>
        </section>
    }
}
