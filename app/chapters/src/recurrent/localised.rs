//! The weights of the step on screen as local attention would give them for the same scores, beside the model's own.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::{Quantity, localised};
use leptos::prelude::*;

use super::{
    context::RecurrentContext,
    local::{MOST, Window},
};
use crate::recurrent::parameters::RecurrentView;
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{
        BarFigure, Bars,
        numbers::{decimal, share_of_one},
        player::Transport,
    },
};

/// The row of a step, global and local.
#[derive(Clone, Debug, PartialEq)]
struct Compared {
    global: Vec<f32>,
    local: Vec<f32>,
    /// The share of the global weights that is inside the window.
    inside: f32,
}

impl Compared {
    fn of(global: &[f32], window: Window) -> Self {
        let of = |bell| localised(global, window.center, window.reach, bell);
        let inside = global.iter().zip(of(false));
        Compared {
            inside: inside
                .filter(|(_, local)| *local > 0.0)
                .map(|(weight, _)| weight)
                .sum(),
            local: of(window.bell),
            global: global.to_vec(),
        }
    }

    /// Returns the cosine between the two sums of values, of which there is a row for each weight; `None` if a sum is zero
    /// or a row is missing.
    fn cosine(&self, values: &[&[f32]]) -> Option<f32> {
        let width = values.first()?.len();
        let sum = |weights: &[f32]| -> Vec<f32> {
            let of = |at: usize| {
                weights
                    .iter()
                    .zip(values)
                    .map(move |(weight, row)| weight * row[at])
            };
            (0..width).map(|at| of(at).sum()).collect()
        };
        let (global, local) = (sum(&self.global), sum(&self.local));
        let dot = |one: &[f32], other: &[f32]| -> f32 {
            one.iter().zip(other).map(|(one, other)| one * other).sum()
        };
        let lengths = (dot(&global, &global) * dot(&local, &local)).sqrt();
        (lengths > 0.0).then(|| dot(&global, &local) / lengths)
    }
}

/// The bars of both rows, with the player over the steps.
#[component]
pub fn LocalisedRow() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = RecurrentContext::expect();
    let view = ViewState::expect().select(|view| *view.chapters.of::<RecurrentView>());
    let weights = context.row_of(Quantity::Pattern);
    let values = context.matrix(Quantity::Value);
    let compared = Memo::new(move |_| {
        let weights = weights.get()?;
        // A model that is local itself has no global weights.
        let is_global = context
            .place
            .with(|place| Some(place.as_ref()?.window().is_none()));
        let window = Window::of(view.get(), weights.len(), context.step.get());
        is_global?.then(|| Compared::of(&weights, window))
    });
    let chart = Signal::derive(move || {
        let theme = appearance.get();
        let Compared {
            mut global,
            mut local,
            ..
        } = compared.get()?;
        let mut names = context
            .place
            .with(|place| Some(place.as_ref()?.source.clone()))?;
        names.truncate(MOST);
        global.truncate(MOST);
        local.truncate(MOST);
        let series = |label: &str, values, index| Series {
            label: Some(label.to_owned()),
            values,
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            names,
            top: 1.0,
            marked: None,
            series: vec![
                series(t_string!(i18n, recurrent.global), global, 0),
                series(t_string!(i18n, recurrent.local), local, 1),
            ],
        })
    });
    let words = move || {
        let (compared, (_, token)) = (compared.get()?, context.row()?);
        let cosine = values.with(|values| {
            let values = &values.as_ref()?.0;
            let rows = (0..compared.global.len()).map(|row| values.row(&[row]));
            compared.cosine(&rows.collect::<Option<Vec<_>>>()?)
        });
        Some(t_string!(
            i18n,
            recurrent.localised_words,
            token = token,
            inside = share_of_one(compared.inside, 3),
            sum = share_of_one(compared.local.iter().sum(), 3),
            cosine = cosine.map_or_else(|| "–".to_owned(), |cosine| decimal(cosine, 3))
        ))
    };
    let steps = context.steps();
    view! {
        <section class="lesson-figure" data-testid="localised">
            <Transport
                player=steps.player()
                label=Signal::derive(move || t_string!(i18n, recurrent.alignment).to_owned())
                words=Signal::derive(move || {
                    let timeline = steps.timeline();
                    format!("{} / {}", timeline.step + 1, timeline.count)
                })
            />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, recurrent.localised).to_owned())
                test_id="localised-bars"
                chart
            />
            <p class="lesson-reading number" role="status" data-testid="localised-words">{words}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrent::parameters::Local;

    #[test]
    fn a_window_beside_the_alignment_loses_its_weight() {
        let view = RecurrentView {
            local: Local::Monotonic,
            window: 1,
            ..RecurrentView::default()
        };
        let global = [0.6, 0.1, 0.1, 0.2];
        let near = Compared::of(&global, Window::of(view, 4, 0));
        assert!((near.inside - 0.7).abs() < 1e-6);
        assert!((near.local.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let far = Compared::of(&global, Window::of(view, 4, 3));
        assert!((far.inside - 0.3).abs() < 1e-6);
        // Values along two axes: the first word's and all others'.
        let values: [&[f32]; 4] = [&[1.0, 0.0], &[0.0, 1.0], &[0.0, 1.0], &[0.0, 1.0]];
        // Global (0.6, 0.4) against (0, 1): 0.4 / √0.52.
        assert!((far.cosine(&values).unwrap() - 0.5547).abs() < 1e-4);
        assert_eq!(far.cosine(&[]), None);
    }
}
