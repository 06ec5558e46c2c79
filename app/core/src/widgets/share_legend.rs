//! The colours of shares of one, from 0 to 1.

use attention_figures::color::{css_gradient, legend_stops};
use leptos::prelude::*;

use crate::appearance::Appearance;

/// The absolute colour scale with its ends.
#[component]
pub fn ShareLegend(
    /// Quantity that is coloured.
    #[prop(into)]
    name: Signal<String>,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = legend_stops(16, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend" data-testid="share-legend">
            <span class="legend-name">{name}</span>
            <span class="legend-end">"0"</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">"1"</span>
        </div>
    }
}
