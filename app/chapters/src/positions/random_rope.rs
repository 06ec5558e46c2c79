//! The decay of `q·k` with distance for random queries and keys under RoPE.

use crate::positions::sinusoids::{Draw, Positions};
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use leptos::prelude::*;

use super::random::{DRAWS, mean, random_decays};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{Plot, PlotFigure, Segmented, Slider},
};

/// The slider of the base moves in quarters of a decade.
const QUARTERS: (usize, usize) = (4, 24);

/// The figure and its controls.
#[component]
pub fn RandomRope() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let positions = ViewState::expect().select(|view| view.chapters.of::<Positions>().clone());
    let curves = Memo::new(move |_| positions.with(random_decays));
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        curves.with(|curves| {
            let name = t_string!(i18n, positions.mean_of_draws, count = DRAWS);
            let mean = Curve {
                width: 3.0,
                ..Curve::counted(name, &mean(curves), categorical(1, theme))
            };
            let faint =
                |values: &Vec<f32>| Curve::counted("", values, categorical(0, theme)).faint();
            Plot {
                x: Axis::new(
                    t_string!(i18n, positions.distance),
                    0.0,
                    positions.with(|positions| positions.distance) as f64,
                ),
                y: Axis::around("q·k", curves.iter().flatten().copied()),
                curves: curves.iter().map(faint).chain([mean]).collect(),
            }
        })
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, positions.random).to_owned())
            text=Signal::derive(move || match positions.with(|positions| positions.draw) {
                Draw::Uniform => t_string!(i18n, positions.random_uniform_text).to_owned(),
                Draw::Normal => t_string!(i18n, positions.random_normal_text).to_owned(),
                Draw::Same => t_string!(i18n, positions.random_same_text).to_owned(),
            })
            test_id="random-rope"
            plot
        >
            <Controls positions />
        </PlotFigure>
    }
}

#[component]
fn Controls(positions: Memo<Positions>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let draw = Signal::derive(move || positions.with(|positions| positions.draw));
    view! {
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, positions.draw).to_owned())
                options=Signal::derive(move || vec![
                    (Draw::Uniform, t_string!(i18n, positions.draw_uniform).to_owned()),
                    (Draw::Normal, t_string!(i18n, positions.draw_normal).to_owned()),
                    (Draw::Same, t_string!(i18n, positions.draw_same).to_owned()),
                ])
                value=draw
                choose=move |draw| state.change(|positions: &mut Positions| positions.draw = draw)
            />
            <button
                type="button"
                class="plain-button"
                data-testid="draw-again"
                on:click=move |_| state.change(|positions: &mut Positions| {
                    positions.seed = positions.seed.wrapping_add(1);
                })
            >
                {t!(i18n, positions.draw_again)}
            </button>
            <Sliders positions />
        </div>
    }
}

#[component]
fn Sliders(positions: Memo<Positions>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let base = Signal::derive(move || positions.with(|positions| positions.base));
    let width = Signal::derive(move || positions.with(|positions| positions.width));
    let distance = Signal::derive(move || positions.with(|positions| positions.distance));
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, positions.base).to_owned())
            test_id="base"
            range=QUARTERS
            value=Signal::derive(move || quarters(base.get()))
            words=Signal::derive(move || base.get().to_string())
            set=move |quarters| state.change(|p: &mut Positions| p.base = base_of(quarters))
        />
        <Slider
            name=Signal::derive(move || t_string!(i18n, positions.width).to_owned())
            test_id="rope-width"
            range=Positions::WIDTHS
            step=8
            value=width
            words=Signal::derive(move || width.get().to_string())
            set=move |width| state.change(|p: &mut Positions| p.width = width)
        />
        <Slider
            name=Signal::derive(move || t_string!(i18n, positions.largest_distance).to_owned())
            test_id="distance"
            range=Positions::DISTANCES
            step=32
            value=distance
            words=Signal::derive(move || distance.get().to_string())
            set=move |distance| state.change(|p: &mut Positions| p.distance = distance)
        />
    }
}

/// A base of that many quarters of a decade.
fn base_of(quarters: usize) -> u32 {
    10f64.powf(quarters as f64 / 4.0).round() as u32
}

/// The slider's place for a base: the nearest.
fn quarters(base: u32) -> usize {
    (f64::from(base).log10() * 4.0).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sliders_places_are_bases_in_bounds() {
        for place in QUARTERS.0..=QUARTERS.1 {
            let base = base_of(place);
            assert_eq!(quarters(base), place);
            assert!((Positions::BASES.0..=Positions::BASES.1).contains(&base));
        }
        assert_eq!(base_of(16), 10_000);
    }
}
