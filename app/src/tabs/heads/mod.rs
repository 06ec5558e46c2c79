//! Every head of every layer, and the chosen one large.

mod context;
mod details;
mod figure;
mod grid;
mod heatmap;
mod legend;
mod lines;
mod sentence;
mod thumbnail;
mod toolbar;

use leptos::prelude::*;

use self::{context::HeadsContext, details::Details, figure::Figure, grid::Grid, toolbar::Toolbar};

/// The heads tab.
#[component]
pub fn HeadsView() -> impl IntoView {
    HeadsContext::provide();
    view! {
        <div class="heads">
            <Toolbar />
            <div class="heads-body">
                <Grid />
                <Figure />
                <Details />
            </div>
        </div>
    }
}
