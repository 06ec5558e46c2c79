//! The whole model and every head of it, and the chosen head large.

mod caption;
mod context;
mod depths;
mod details;
mod figure;
mod heatmap;
mod legend;
mod lines;
mod map;
mod sentence;
mod several;
mod toolbar;

use leptos::prelude::*;

use self::{
    caption::Caption, context::HeadsContext, depths::Depths, details::Details, figure::Figure,
    map::ModelMap,
};

use attention_core::{
    edits::Distributions,
    engine::Live,
    selection::{Lacking, Needs, has_what_is_needed},
};

/// A map of so many keys leaves room for the details beside it.
const NARROW: usize = 10;

/// The page's first tab: the map of the model beside the chosen head.
#[component]
pub fn HeadsView() -> impl IntoView {
    let context = HeadsContext::provide();
    let is_narrow = Memo::new(move |_| {
        let keys = context.with_axes(|_, keys| keys.len());
        keys.is_some_and(|keys| keys <= NARROW)
    });
    let live = Live::expect();
    let has_attention = has_what_is_needed(Needs::Attention);
    let is_waiting = Memo::new(move |_| live.trace().is_none());
    view! {
        <div class="heads">
            <ModelMap />
            <div
                class="head-side"
                class:has-narrow-map=is_narrow
                class:is-waiting=is_waiting
            >
                <Show
                    when=move || has_attention.get()
                    fallback=|| view! { <Lacking needs=Needs::Attention /> }
                >
                    <Figure />
                    <Caption />
                    <Details />
                    <Distributions />
                </Show>
                <Depths />
            </div>
        </div>
    }
}
