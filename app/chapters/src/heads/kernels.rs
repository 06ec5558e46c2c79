//! The chosen head as a convolution's kernel: its mean weight at each offset.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::Quantity;
use leptos::prelude::*;

use super::measures::Weights;
use attention_core::{
    appearance::Appearance,
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    widgets::{BarFigure, Bars, numbers::signed_offset},
};

/// The largest offset in either direction, in tokens.
const REACH: usize = 4;

/// A bar chart of the head's mean weight at each offset.
#[component]
pub fn Kernels() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = SelfAttention::expect();
    let part = context.part(|place| place.head.excerpt(Quantity::Pattern));
    let chart = Memo::new(move |_| {
        let theme = appearance.get();
        let Part(map) = part.get()?;
        let weights = Weights::new(&map.data, *map.shape.last()?)?;
        let reach = REACH as isize;
        Some(Bars {
            names: (-reach..=reach).map(signed_offset).collect(),
            top: 1.0,
            marked: Some(REACH),
            series: vec![Series {
                label: Some(t_string!(i18n, many_heads.by_offset).to_owned()),
                values: weights.by_offset(REACH),
                colors: vec![categorical(0, theme)],
            }],
        })
    });
    view! {
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, many_heads.by_offset).to_owned())
            test_id="by-offset"
            chart
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_signs() {
        assert_eq!([-2, 0, 3].map(signed_offset), ["−2", "0", "+3"]);
    }
}
