//! The legend of the colours.

use attention_figures::{
    color::{css_gradient, legend_stops},
    heatmap,
};
use leptos::prelude::*;

use super::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t, use_i18n},
    widgets::{
        glossary::{Term, TermButton},
        numbers::share_of_one,
    },
};

/// The colour scale with the values at its ends.
#[component]
pub fn Legend() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let appearance = Appearance::expect();
    let range = Memo::new(move |_| {
        context
            .with_map(|map| heatmap::range(map.weights, context.scale()))
            .unwrap_or((0.0, 1.0))
    });
    let gradient = move || {
        format!(
            "background: {}",
            css_gradient(&legend_stops(16, appearance.get()))
        )
    };
    view! {
        <div class="legend" data-testid="legend">
            <span class="legend-name">
                <TermButton term=Term::AttentionWeight>{t!(i18n, heads.weight)}</TermButton>
            </span>
            <span class="legend-end">{move || end(range.get().0)}</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">{move || end(range.get().1)}</span>
        </div>
    }
}

fn end(value: f32) -> String {
    let digits = if value == value.trunc() { 0 } else { 4 };
    share_of_one(value, digits)
}
