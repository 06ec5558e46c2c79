//! Hard and soft attention on the same weights.

use crate::{scores::parameters::Scores, source::DataSource};
use attention_figures::{bars::Series, color::categorical};
use attention_trace::lessons::Attended;
use leptos::prelude::*;

use super::{functions::name, memory::ScoresSelection, plane::point};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{BarFigure, Bars, Prose, Slider},
};

/// Weights beside the shares of the draws, with the vectors that both read.
#[component]
pub fn HardAndSoft(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let draws = Memo::new(move |_| selection.view.get().draws);
    let function = move || name(selection.view.get().function)();
    let chart = Signal::derive(move || {
        let (made, names, theme) = (selection.read()?, selection.names.get(), appearance.get());
        let series = |label: String, values: Vec<f32>, index| Series {
            label: Some(label),
            values,
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            top: 1.0,
            marked: Some(made.read.largest),
            series: vec![
                series(format!("α, {}", function()), made.weights.clone(), 0),
                series(
                    t_string!(i18n, scores.share, draws = made.read.draws.len()),
                    shares(&made),
                    1,
                ),
            ],
            names,
        })
    });
    view! {
        <Prose part="hard" />
        <div class="lesson-figure" data-testid="hard-and-soft">
            <div class="position-controls">
                <Slider
                    name=Signal::derive(move || t_string!(i18n, scores.draws).to_owned())
                    test_id="draws"
                    range=Scores::DRAWS
                    value=draws
                    words=Signal::derive(move || draws.get().to_string())
                    set=move |draws| state.update_chapters(|chapters| chapters.of_mut::<Scores>().draws = draws)
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="hard-draw-again"
                    on:click=move |_| state.update_chapters(|chapters| {
                        let scores = chapters.of_mut::<Scores>();
                        scores.seed = scores.seed.wrapping_add(1);
                    })
                >
                    {t!(i18n, positions.draw_again)}
                </button>
            </div>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, scores.hard_bars).to_owned())
                test_id="hard-bars"
                height=200.0
                chart
            />
            {move || selection.read().map(|made| view! { <ReadOuts selection made /> })}
        </div>
    }
}

/// Returns the share of all draws for each value.
fn shares(made: &Attended) -> Vec<f32> {
    let mut shares = vec![0.0; made.weights.len()];
    for &drawn in &made.read.draws {
        if let Some(share) = shares.get_mut(drawn) {
            *share += 1.0 / made.read.draws.len() as f32;
        }
    }
    shares
}

#[component]
fn ReadOuts(selection: ScoresSelection, made: Attended) -> impl IntoView {
    let i18n = use_i18n();
    // The parts below are made anew with every answer.
    let names = selection.names.get_untracked();
    let name = |index: usize| names.get(index).cloned().unwrap_or_default();
    let read = made.read;
    let (largest, first) = (
        name(read.largest),
        read.draws.first().map(|&first| name(first)),
    );
    // A head's values are too wide to be written out.
    let small = selection.source.get_untracked() == DataSource::Lecture;
    view! {
        <dl class="lesson-facts">
            {small.then(|| view! {
                <dt>{t!(i18n, scores.soft)}</dt>
                <dd class="number" data-testid="soft">{point(&read.soft)}</dd>
            })}
            <dt>{t!(i18n, scores.hard_largest)}</dt>
            <dd data-testid="largest">{largest}</dd>
            <dt>{t!(i18n, scores.hard_drawn)}</dt>
            <dd data-testid="drawn">{first}</dd>
            {small.then(|| view! {
                <dt>{t!(i18n, scores.mean_of_draws)}</dt>
                <dd class="number" data-testid="mean">{point(&read.mean)}</dd>
            })}
        </dl>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::{ReadOut, ScoreFunction};

    use super::*;

    #[test]
    fn shares_count_the_draws() {
        let made = Attended {
            function: ScoreFunction::Dot,
            scores: vec![0.0; 3],
            hidden: None,
            weights: vec![0.5, 0.25, 0.25],
            read: ReadOut {
                soft: vec![0.0],
                largest: 0,
                draws: vec![0, 2, 2, 0],
                mean: vec![0.0],
            },
        };
        assert_eq!(shares(&made), [0.5, 0.0, 0.5]);
    }
}
