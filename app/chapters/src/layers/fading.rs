//! The derivative of a memory by its first value: a plain recurrent unit beside an LSTM and a GRU.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::gates::Fading;
use leptos::prelude::*;

use crate::layers::parameters::{Gated, LayersLab};

use super::words::lab;
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    widgets::{Plot, PlotFigure, numbers::decimal},
};

/// The number of steps.
const STEPS: usize = 30;

/// Both gated units get the biases of the sliders, whichever of them is shown above.
fn fading(lab: &LayersLab) -> Fading {
    let of = |gated| LayersLab { gated, ..*lab }.unit().fading(STEPS);
    Fading {
        gru: of(Gated::Gru).gru,
        ..of(Gated::Lstm)
    }
}

/// The curves of the four paths.
#[component]
pub fn FadingFigure() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let lab = lab();
    let found = Memo::new(move |_| lab.with(fading));
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let found = found.get();
        let named = [
            (t_string!(i18n, layers.plain_unit), &found.plain),
            ("LSTM", &found.lstm),
            (t_string!(i18n, layers.cell_alone), &found.forget_gates),
            ("GRU", &found.gru),
        ];
        let curves: Vec<Curve> = named
            .into_iter()
            .enumerate()
            .map(|(index, (name, values))| {
                let values: Vec<f32> = from_one(values).collect();
                Curve::counted(name, &values, categorical(index, theme))
            })
            .collect();
        let all = named.iter().flat_map(|(_, values)| from_one(values));
        Plot {
            x: Axis::new(t_string!(i18n, layers.steps_back), 0.0, STEPS as f64),
            y: Axis::around(t_string!(i18n, layers.slope), all),
            curves,
        }
    });
    let words = move || {
        let found = found.get();
        let last = |values: &[f64]| decimal(values.last().copied().unwrap_or(1.0) as f32, 4);
        t_string!(
            i18n,
            layers.fading_words,
            steps = STEPS,
            plain = last(&found.plain),
            lstm = last(&found.lstm),
            cell = last(&found.forget_gates),
            gru = last(&found.gru)
        )
    };
    view! {
        <section class="lesson-figure">
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, layers.fading).to_owned())
                text=Signal::derive(move || t_string!(i18n, layers.fading_text).to_owned())
                test_id="fading"
                plot
            >
                <p class="lesson-reading number" role="status" data-testid="fading-words">{words}</p>
            </PlotFigure>
        </section>
    }
}

/// The values after each step, behind that of no step, which is 1.
fn from_one(values: &[f64]) -> impl Iterator<Item = f32> {
    std::iter::once(1.0).chain(values.iter().map(|&value| value as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_that_keep_hold_the_derivative_and_a_plain_unit_loses_it() {
        let kept = fading(&LayersLab::default());
        let last = |values: &[f64]| *values.last().unwrap();
        assert_eq!(kept.lstm.len(), STEPS);
        assert!(last(&kept.plain) < 1e-6);
        assert!((last(&kept.lstm) - 1.1499).abs() < 1e-4);
        assert!((last(&kept.gru) - 0.0648).abs() < 1e-4);
        // The gate that keeps is that of both units, whichever is shown.
        let gru = LayersLab {
            gated: Gated::Gru,
            ..LayersLab::default()
        };
        assert_eq!(fading(&gru), kept);
    }
}
