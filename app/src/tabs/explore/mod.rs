//! The whole model and every head of it, and beside it the inspector: the chosen head, large, or the decoding step.

mod caption;
mod context;
mod depths;
mod details;
mod figure;
mod heatmap;
mod legend;
mod lines;
mod map;
mod next_word;
mod sentence;
mod several;
mod toolbar;

use leptos::prelude::*;

use self::{
    caption::Caption, context::HeadsContext, depths::Depths, details::Details, figure::Figure,
    map::ModelMap,
};

pub use self::next_word::next_word;

use attention_core::{
    edits::Distributions,
    engine::Live,
    selection::{Needs, has_what_is_needed},
    state::{Representation, ViewState},
};

/// A map of so many keys leaves room for the details beside it.
const NARROW: usize = 10;

/// The page's first tab: the map of the model and the inspector.
#[component]
pub fn ExploreView() -> impl IntoView {
    HeadsContext::provide();
    view! {
        <div class="explore">
            <ModelMap />
            <Inspector />
        </div>
    }
}

/// The chosen head or the decoding step, and what belongs to it.
#[component]
fn Inspector() -> impl IntoView {
    let context = HeadsContext::expect();
    let representation = ViewState::expect().select(|view| view.representation);
    let is_narrow = Memo::new(move |_| {
        let keys = context.with_axes(|_, keys| keys.len());
        keys.is_some_and(|keys| keys <= NARROW)
    });
    let live = Live::expect();
    let has_attention = has_what_is_needed(Needs::Attention);
    let is_waiting = Memo::new(move |_| live.trace().is_none());
    let shows_head =
        Memo::new(move |_| has_attention.get() && representation.get() != Representation::NextWord);
    view! {
        <div
            class="head-side"
            class:has-narrow-map=move || is_narrow.get() && shows_head.get()
            class:is-waiting=is_waiting
        >
            <Figure has_attention />
            <Show when=move || shows_head.get()>
                <Caption />
                <Details />
            </Show>
            <Show when=move || has_attention.get()>
                <Distributions />
            </Show>
            <Depths />
        </div>
    }
}
