//! All score functions side by side on one query and the same keys.

use crate::{scores::parameters::Scores, source::DataSource};
use attention_figures::{bars::Series, color::categorical};
use attention_trace::lessons::ScoreFunction;
use leptos::prelude::*;

use super::memory::ScoresSelection;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::{AddressValue, ViewState},
    widgets::{BarFigure, Bars, Prose, numbers::decimal},
};

/// The largest number of scores written below their bars.
const MOST_SCORES: usize = 8;

/// A card for each function; the pressed one reads.
#[component]
pub fn Functions(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="functions" />
        <div
            class="lesson-cards"
            role="group"
            aria-label=move || t_string!(i18n, scores.functions).to_owned()
        >
            {ScoreFunction::ALL.map(|function| view! { <Card selection function /> }).collect_view()}
        </div>
    }
}

pub fn name(function: ScoreFunction) -> impl Fn() -> String + Copy {
    let i18n = use_i18n();
    move || {
        match function {
            ScoreFunction::Additive => t_string!(i18n, scores.additive),
            ScoreFunction::Dot => t_string!(i18n, scores.dot),
            ScoreFunction::ScaledDot => t_string!(i18n, scores.scaled_dot),
            ScoreFunction::Bilinear => t_string!(i18n, scores.bilinear),
            ScoreFunction::Perceptron => t_string!(i18n, scores.perceptron),
        }
        .to_owned()
    }
}

#[component]
fn Card(selection: ScoresSelection, function: ScoreFunction) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let made = Memo::new(move |_| selection.attended(function));
    let pressed = move || selection.view.get().function == function;
    let part = Signal::derive(move || match (function, selection.source.get()) {
        (ScoreFunction::Bilinear, DataSource::Head) => "bilinear-head",
        _ => function.address_value(),
    });
    let chart = Signal::derive(move || {
        let (theme, names) = (appearance.get(), selection.names.get());
        let of_key = |index: usize| match selection.source.get() {
            DataSource::Lecture => categorical(index, theme),
            DataSource::Head => categorical(0, theme),
        };
        Some(Bars {
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: None,
                values: made.get()?.weights,
                colors: (0..names.len()).map(of_key).collect(),
            }],
            names,
        })
    });
    let scores = move || {
        let scores = made.get()?.scores;
        (scores.len() <= MOST_SCORES).then(|| {
            let words: Vec<_> = scores.iter().map(|score| decimal(*score, 2)).collect();
            words.join("  ")
        })
    };
    view! {
        <section class="lesson-card" class:chosen=pressed data-testid=format!("by-{}", function.address_value())>
            <button
                type="button"
                class="lesson-choice"
                data-choice=function.address_value()
                aria-pressed=move || pressed().to_string()
                on:click=move |_| state.update_chapters(|chapters| {
                    chapters.of_mut::<Scores>().function = function;
                })
            >
                {name(function)}
            </button>
            <Prose part />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, scores.weights).to_owned())
                test_id=format!("{}-bars", function.address_value())
                height=140.0
                chart
            />
            <p class="lesson-scores">
                {t!(i18n, scores.scores)} " "
                <span class="number" data-testid=format!("{}-scores", function.address_value())>{scores}</span>
            </p>
        </section>
    }
}
