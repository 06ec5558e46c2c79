//! The six models' scores at every letter.

use crate::positions::parameters::{Encodings, Score};
use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{PlaceScore, positions::PositionalEncoding};
use leptos::prelude::*;

use super::scores::{Scores, TRAINED_LETTERS};
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{Plot, PlotFigure, Segmented},
};

/// A score as it is drawn: in percent, or in nats.
fn drawn(score: PlaceScore, which: Score) -> f64 {
    match which {
        Score::Accuracy => 100.0 * score.accuracy,
        Score::Loss => score.loss,
    }
}

/// A model's curve over letters counted from 1.
fn curve(
    scores: &Scores,
    encoding: PositionalEncoding,
    which: Score,
    theme: Theme,
    name: String,
) -> Curve {
    let index = PositionalEncoding::ALL
        .iter()
        .position(|&other| other == encoding)
        .unwrap_or(0);
    let points = scores.by_place(encoding).iter().enumerate();
    let point = |(place, score): (usize, &Option<PlaceScore>)| {
        Some(((place + 1) as f64, drawn((*score)?, which)))
    };
    Curve {
        points: points.filter_map(point).collect(),
        ..Curve::counted(name, &[], categorical(index, theme))
    }
}

/// The plot and the choice of the score.
#[component]
pub fn ByPlace(
    /// The scores that were measured.
    #[prop(into)]
    scores: Signal<Scores>,
    /// The encodings and their names.
    #[prop(into)]
    names: Signal<Vec<(PositionalEncoding, String)>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let which = state.select(|view| view.chapters.of::<Encodings>().score);
    let plot = Signal::derive(move || {
        let (theme, which) = (appearance.get(), which.get());
        let curves: Vec<_> = scores.with(|scores| {
            let curve = |(encoding, name)| curve(scores, encoding, which, theme, name);
            names.get().into_iter().map(curve).collect()
        });
        let y = match which {
            Score::Accuracy => Axis::new(t_string!(i18n, encodings.accuracy_axis), 0.0, 100.0),
            Score::Loss => Axis::around_curves(t_string!(i18n, encodings.loss_axis), &curves),
        };
        let end = TRAINED_LETTERS as f64 + 0.5;
        let trained = Curve {
            points: vec![(end, y.from), (end, y.to)],
            ..Curve::counted("", &[], categorical(0, theme)).faint()
        };
        let furthest = scores.with(Scores::furthest).max(2);
        Plot {
            x: Axis::new(t_string!(i18n, encodings.letter), 0.0, furthest as f64),
            y,
            curves: [trained].into_iter().chain(curves).collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, encodings.by_place).to_owned())
            text=Signal::derive(move || {
                t_string!(i18n, encodings.by_place_text, trained = TRAINED_LETTERS)
            })
            test_id="by-place"
            plot
        >
            <Segmented
                label=Signal::derive(move || t_string!(i18n, encodings.score).to_owned())
                options=Signal::derive(move || vec![
                    (Score::Accuracy, t_string!(i18n, encodings.accuracy).to_owned()),
                    (Score::Loss, t_string!(i18n, encodings.loss).to_owned()),
                ])
                value=which
                choose=move |score| {
                    state.update_chapters(|chapters| chapters.of_mut::<Encodings>().score = score)
                }
            />
        </PlotFigure>
    }
}

#[cfg(test)]
mod tests {
    use super::{super::scores::tests::served, *};

    #[test]
    fn a_curve_begins_at_the_first_letter_that_is_scored() {
        let scores = served();
        let rope = |which| {
            let name = "RoPE".to_owned();
            curve(&scores, PositionalEncoding::Rope, which, Theme::Light, name)
        };
        let accuracy = rope(Score::Accuracy);
        assert_eq!(accuracy.points[0], (4.0, 100.0));
        assert_eq!(accuracy.points.len(), 125);
        assert!(
            rope(Score::Loss)
                .points
                .iter()
                .all(|&(_, loss)| (0.0..20.0).contains(&loss))
        );
    }
}
