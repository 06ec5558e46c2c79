//! The length of the residual stream after a layer, for every token.

use attention_trace::{Excerpt, Slice, Stack};
use leptos::prelude::*;

use super::context::MapContext;
use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    widgets::numbers::decimal,
};

/// The largest number of values of a residual stream that are requested: for a long text they are not worth a pass.
const MOST_NUMBERS: usize = 1 << 16;

/// A bar for each token's ‖x‖, and the selected token's as a number; empty until it is loaded.
#[component]
pub fn StreamNorms(context: MapContext, stack: Stack, layer: usize) -> impl IntoView {
    let i18n = use_i18n();
    let stream = Live::expect().part(move || {
        let trace = context.heads.trace()?;
        let meta = &trace.meta;
        let tokens = match stack {
            Stack::Encoder => meta.source.len(),
            Stack::Decoder => meta.target.len(),
        };
        let is_small = tokens * meta.spec.width <= MOST_NUMBERS;
        let site = meta.spec.layer_output(stack, layer);
        is_small.then(|| Excerpt::new(site, Slice::Whole))
    });
    let norms = Memo::new(move |_| {
        let stream = stream.get()?;
        let &[_, width] = stream.0.shape.as_slice() else {
            return None;
        };
        Some(
            stream
                .0
                .data
                .chunks_exact(width.max(1))
                .map(norm)
                .collect::<Vec<_>>(),
        )
    });
    let current = Memo::new(move |_| {
        let norms = norms.read();
        let norms = norms.as_ref()?;
        let row = context.row_in(stack)?.min(norms.len().checked_sub(1)?);
        Some((row, norms[row], norms[row] / largest(norms)))
    });
    let bars = move || norms.with(|norms| norms.as_deref().map(bars));
    let marked = move || current.get().map(|(row, _, share)| bar(row, share));
    let number = move || {
        current
            .get()
            .map(|(_, norm, _)| format!("‖x‖ {}", decimal(norm, 1)))
    };
    view! {
        <span class="norms" title=move || t_string!(i18n, heads.norms)>
            <svg class="norm-bars" viewBox="0 0 70 16" aria-hidden="true">
                <path d=bars></path>
                <path class="current" d=marked></path>
            </svg>
            <span class="block-size norm-number">{number}</span>
        </span>
    }
}

/// Returns a bar for each norm, as the data of one path: separate elements would be recreated for every sentence.
fn bars(norms: &[f32]) -> String {
    let largest = largest(norms);
    let bars = norms.iter().enumerate();
    bars.map(|(row, norm)| bar(row, norm / largest)).collect()
}

/// Returns a bar of 4 × 16 units at most, 5 units from the next.
fn bar(row: usize, share: f32) -> String {
    format!("M{} 16h4v{:.2}h-4z", 5 * row, -16.0 * share)
}

fn largest(norms: &[f32]) -> f32 {
    norms.iter().copied().fold(f32::MIN_POSITIVE, f32::max)
}

fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_norm_is_euclidean() {
        assert_eq!(super::norm(&[3.0, 4.0]), 5.0);
        assert_eq!(super::norm(&[]), 0.0);
    }

    #[test]
    fn the_largest_bar_is_as_high_as_the_room() {
        assert_eq!(
            super::bars(&[1.0, 2.0]),
            "M0 16h4v-8.00h-4zM5 16h4v-16.00h-4z"
        );
        assert_eq!(super::bars(&[]), "");
    }
}
