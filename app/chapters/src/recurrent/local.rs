//! The window of local attention with a predicted centre: its factor for each weight.

use crate::recurrent::{
    context::RecurrentContext,
    parameters::{Local, RecurrentView},
};
use attention_figures::{bars::Series, color::categorical};
use attention_trace::window_factor;
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    names::token_name,
    state::ViewState,
    widgets::{BarFigure, Bars, Segmented, Slider, numbers::decimal},
};

/// The most positions that have a bar.
pub const MOST: usize = 24;

/// A window over the positions of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    positions: usize,
    /// The centre of the window, from 0: any number between the first position and the last.
    pub center: f32,
    /// The reach `D` of the window.
    pub reach: usize,
    /// True if weights are multiplied by a bell curve around the centre.
    pub bell: bool,
}

impl Window {
    /// Returns the window while the token of `step` is written, from 0.
    pub fn of(view: RecurrentView, positions: usize, step: usize) -> Self {
        let last = positions.saturating_sub(1);
        let center = match view.local {
            Local::Predictive => view.center.min(10 * last) as f32 / 10.0,
            Local::Monotonic => step.min(last) as f32,
        };
        Window {
            positions,
            center,
            reach: view.window,
            bell: view.local == Local::Predictive,
        }
    }

    /// The factor of each position: nothing outside of the window.
    fn factors(self) -> Vec<f32> {
        let factor = |position: usize| {
            let distance = position as f32 - self.center;
            match distance.abs() <= self.reach as f32 {
                true if self.bell => window_factor(distance, self.reach),
                true => 1.0,
                false => 0.0,
            }
        };
        (0..self.positions).map(factor).collect()
    }

    /// Returns the number of positions in the window.
    fn inside(self) -> usize {
        self.factors()
            .iter()
            .filter(|&&factor| factor > 0.0)
            .count()
    }
}

/// The window over the sentence's tokens.
#[component]
pub fn LocalWindow() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let (live, state) = (Live::expect(), ViewState::expect());
    let view = state.select(|view| *view.chapters.of::<RecurrentView>());
    let name = token_name();
    let names = Memo::new(move |_| {
        live.trace().map_or_else(Vec::new, |trace| {
            let tokens = trace.meta.source.iter().take(MOST);
            tokens.map(name).collect::<Vec<_>>()
        })
    });
    let step = RecurrentContext::expect().step;
    let window = Memo::new(move |_| Window::of(view.get(), names.read().len(), step.get()));
    let chart = Signal::derive(move || {
        let window = window.get();
        (window.positions > 0).then(|| Bars {
            names: names.get(),
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: None,
                values: window.factors(),
                colors: vec![categorical(0, appearance.get())],
            }],
        })
    });
    let words = move || {
        let window = window.get();
        t_string!(
            i18n,
            recurrent.window_words,
            inside = window.inside(),
            positions = window.positions,
            reach = window.reach,
            center = decimal(window.center, 1)
        )
    };
    view! {
        <section class="lesson-figure" data-testid="local-attention">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, recurrent.local_kind).to_owned())
                options=Signal::derive(move || vec![
                    (Local::Monotonic, t_string!(i18n, recurrent.monotonic).to_owned()),
                    (Local::Predictive, t_string!(i18n, recurrent.predictive).to_owned()),
                ])
                value=Signal::derive(move || view.get().local)
                choose=move |local| state.update_chapters(|chapters| {
                    chapters.of_mut::<RecurrentView>().local = local;
                })
            />
            <div class="position-controls">
                <Slider
                    name=Signal::derive(|| "D".to_owned())
                    test_id="local-window"
                    range=RecurrentView::WINDOWS
                    value=Signal::derive(move || view.get().window)
                    words=Signal::derive(move || view.get().window.to_string())
                    set=move |window| state.update_chapters(|chapters| {
                        chapters.of_mut::<RecurrentView>().window = window;
                    })
                />
                <Show when=move || view.get().local == Local::Predictive>
                    <Slider
                        name=Signal::derive(move || t_string!(i18n, recurrent.center).to_owned())
                        test_id="local-centre"
                        range=Signal::derive(move || (0, 10 * names.read().len().saturating_sub(1)))
                        value=Signal::derive(move || (10.0 * window.get().center).round() as usize)
                        words=Signal::derive(move || decimal(window.get().center, 1))
                        set=move |center| state.update_chapters(|chapters| {
                            chapters.of_mut::<RecurrentView>().center = center;
                        })
                    />
                </Show>
            </div>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, recurrent.factors).to_owned())
                test_id="window-factors"
                chart
            />
            <p class="lesson-reading number" role="status" data-testid="window-words">{words}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_window_ends_at_its_reach() {
        let view = RecurrentView {
            window: 2,
            center: 30,
            ..RecurrentView::default()
        };
        let window = Window::of(view, 7, 0);
        let factors = window.factors();
        assert_eq!(factors[3], 1.0);
        assert_eq!((factors[0], factors[6]), (0.0, 0.0));
        assert!((factors[1] - (-2.0f32).exp()).abs() < 1e-6);
        assert_eq!(window.inside(), 5);
    }

    #[test]
    fn a_monotonic_window_moves_with_the_step_and_has_no_bell() {
        let view = RecurrentView {
            local: Local::Monotonic,
            window: 1,
            ..RecurrentView::default()
        };
        assert_eq!(Window::of(view, 5, 1).factors(), [1.0, 1.0, 1.0, 0.0, 0.0]);
        // Longer than the source, what is written stays at its end.
        assert_eq!(Window::of(view, 5, 9).factors(), [0.0, 0.0, 0.0, 1.0, 1.0]);
    }

    proptest! {
        #[test]
        fn factors_are_between_zero_and_one_and_the_centre_is_inside(
            positions in 1usize..40, center in any::<usize>(), window in 1usize..=10
        ) {
            let view = RecurrentView { center, window, ..RecurrentView::default() };
            let window = Window::of(view, positions, 0);
            let factors = window.factors();
            prop_assert_eq!(factors.len(), positions);
            prop_assert!(factors.iter().all(|factor| (0.0..=1.0).contains(factor)));
            prop_assert!(window.inside() >= 1);
            prop_assert!(window.inside() <= 2 * window.reach + 1);
        }
    }
}
