//! The length of the residual stream after a layer, for every token.

use attention_trace::{Excerpt, Slice, Stack};
use leptos::prelude::*;

use super::context::MapContext;
use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
};

/// The most numbers of a residual stream that are asked for: of a long text they are not worth a pass.
const MOST_NUMBERS: usize = 1 << 16;

/// A bar for each token's ‖x‖, and the selected token's as a number; nothing until it is loaded.
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
        Some((row, norms[row]))
    });
    let bars = move || {
        norms.with(|norms| {
            let norms = norms.as_ref()?;
            let largest = norms.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            let bars = norms.iter().enumerate().map(|(index, norm)| {
                let share = norm / largest;
                view! {
                    <span
                        class="norm-bar"
                        class:current=move || current.get().is_some_and(|(row, _)| row == index)
                        style=format!("--share: {share:.3}")
                    ></span>
                }
            });
            Some(bars.collect_view())
        })
    };
    let number = move || current.get().map(|(_, norm)| format!("‖x‖ {norm:.1}"));
    view! {
        <span class="norms" title=move || t_string!(i18n, heads.norms)>
            <span class="norm-bars" aria-hidden="true">{bars}</span>
            <span class="block-size norm-number">{number}</span>
        </span>
    }
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
}
