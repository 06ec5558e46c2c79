//! A window over the keys, with and without the first tokens: the surprise at each token of the text.

use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{Plot, PlotFigure, Slider, numbers::decimal},
};
use attention_figures::plot::Axis;
use leptos::prelude::*;

use super::{
    parameters::LongTexts,
    passes::{Named, mean_of, windowed},
};

/// The plot, its controls and the means.
#[component]
pub fn WindowsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let wanted = ViewState::expect().select(|view| *view.chapters.of::<LongTexts>());
    let named = Named::new();
    let passes = [
        named.surprises(|_| Some(vec![])),
        named.surprises(move |trace| Some(windowed(trace, wanted.get().alone()))),
        named.surprises(move |trace| Some(windowed(trace, wanted.get().kept()))),
    ];
    let names = move || {
        let LongTexts { keys, first, .. } = wanted.get();
        [
            t_string!(i18n, long.all_keys).to_owned(),
            t_string!(i18n, long.window_of, count = keys).to_string(),
            t_string!(i18n, long.window_and_first, count = keys, first = first).to_string(),
        ]
    };
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let curves: Vec<_> = names()
            .into_iter()
            .zip(passes)
            .enumerate()
            .filter_map(|(index, (name, pass))| {
                pass.with(|values| Some(named.curve(name, values.as_ref()?, index, theme)))
            })
            .collect();
        Plot {
            x: named.places(t_string!(i18n, long.place)),
            y: Axis::around_curves(t_string!(i18n, long.surprise), &curves),
            curves,
        }
    });
    let words = move || {
        let [all, alone, kept] = passes.map(mean_of);
        Some(t_string!(
            i18n,
            long.window_means,
            all = decimal(all?, 3),
            alone = decimal(alone?, 3),
            kept = decimal(kept?, 3)
        ))
    };
    view! {
        <section class="lesson-figure">
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, long.windows).to_owned())
                text=Signal::derive(move || t_string!(i18n, long.windows_text).to_owned())
                test_id="windows"
                plot
            >
                <WindowControls />
            </PlotFigure>
            <p class="lesson-reading number" role="status" data-testid="window-means">{words}</p>
        </section>
    }
}

/// The controls of the window and of the first tokens.
#[component]
fn WindowControls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let keys = state.select(|view| view.chapters.of::<LongTexts>().keys);
    let first = state.select(|view| view.chapters.of::<LongTexts>().first);
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, long.keys).to_owned())
                test_id="window-keys"
                range=LongTexts::KEYS
                value=keys
                words=Signal::derive(move || keys.get().to_string())
                set=move |keys| {
                    state.update_chapters(|chapters| chapters.of_mut::<LongTexts>().keys = keys)
                }
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, long.first).to_owned())
                test_id="window-first"
                range=LongTexts::FIRST
                value=first
                words=Signal::derive(move || first.get().to_string())
                set=move |first| {
                    state.update_chapters(|chapters| chapters.of_mut::<LongTexts>().first = first)
                }
            />
        </div>
    }
}
