//! Entropy and gradient of the softmax against the width whose root divides the scores.

use crate::scale::parameters::Scale;
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::lessons::Softmax;
use leptos::prelude::*;

use super::{row::RowSelection, variance::from_one};
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    widgets::{Plot, PlotFigure, numbers::decimal},
};

/// Both curves, with the selected width marked.
#[component]
pub fn Sharpness(row: RowSelection) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="position-figures">
            <SharpnessFigure
                row
                title=Signal::derive(move || t_string!(i18n, scale.entropy).to_owned())
                text=Signal::derive(move || t_string!(i18n, scale.entropy_text).to_owned())
                axis=Signal::derive(move || t_string!(i18n, scale.entropy_bits).to_owned())
                test_id="entropy"
                color=2
                value=|made| made.entropy_bits
            />
            <SharpnessFigure
                row
                title=Signal::derive(move || t_string!(i18n, scale.gradient).to_owned())
                text=Signal::derive(move || t_string!(i18n, scale.gradient_text).to_owned())
                axis=Signal::derive(move || t_string!(i18n, scale.gradient_norm).to_owned())
                test_id="gradient"
                color=3
                value=|made| made.gradient_norm
            />
        </div>
    }
}

#[component]
fn SharpnessFigure(
    row: RowSelection,
    title: Signal<String>,
    text: Signal<String>,
    axis: Signal<String>,
    test_id: &'static str,
    color: usize,
    value: fn(&Softmax) -> f32,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let values: Vec<f32> = row
            .softmax
            .answer
            .with(|made| made.iter().flatten().map(value).collect());
        let y = Axis::around(axis.get(), values.iter().copied());
        let width = row.width.get() as f64;
        let here = Curve {
            label: None,
            points: vec![(width, y.from), (width, y.to)],
            color: categorical(0, theme),
            width: 1.5,
            opacity: 0.8,
        };
        let curve = Curve {
            points: from_one(&values),
            ..Curve::counted(axis.get(), &[], categorical(color, theme))
        };
        Plot {
            x: Axis::new(t_string!(i18n, scale.width), 0.0, Scale::WIDTHS.1 as f64),
            y,
            curves: vec![here, curve],
        }
    });
    let here = move || {
        let width = row.width.get();
        let value = row
            .softmax
            .answer
            .with(|made| made.as_ref()?.get(width - 1).map(value))?;
        Some(format!("dₖ = {width}: {}", decimal(value, 3)))
    };
    view! {
        <PlotFigure title text test_id plot>
            <p class="lesson-reading number" data-testid=format!("{test_id}-here")>{here}</p>
        </PlotFigure>
    }
}
