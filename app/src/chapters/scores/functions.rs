//! All score functions side by side on one query and the same keys.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::lessons::ScoreFunction;
use leptos::prelude::*;

use super::memory::InSight;
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::{ViewState, Whose, Word},
    widgets::{BarFigure, Bars, Prose, numbers::decimal},
};

/// The most scores that stand below their bars.
const MOST_SCORES: usize = 8;

/// A card for each function; the pressed one reads.
#[component]
pub fn Functions(sight: InSight) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="functions" />
        <div
            class="lesson-cards"
            role="group"
            aria-label=move || t_string!(i18n, scores.functions).to_owned()
        >
            {ScoreFunction::ALL.map(|function| view! { <Card sight function /> }).collect_view()}
        </div>
    }
}

/// The function's name.
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
fn Card(sight: InSight, function: ScoreFunction) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let made = Memo::new(move |_| sight.attended(function));
    let pressed = move || sight.view.get().function == function;
    let part = Signal::derive(move || match (function, sight.whose.get()) {
        (ScoreFunction::Bilinear, Whose::Head) => "bilinear-head",
        _ => function.word(),
    });
    let chart = Signal::derive(move || {
        let (theme, names) = (appearance.get(), sight.names.get());
        let of_key = |index: usize| match sight.whose.get() {
            Whose::Lecture => categorical(index, theme),
            Whose::Head => categorical(0, theme),
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
        <section class="lesson-card" class:chosen=pressed data-testid=format!("by-{}", function.word())>
            <button
                type="button"
                class="lesson-choice"
                data-choice=function.word()
                aria-pressed=move || pressed().to_string()
                on:click=move |_| state.update_chapters(|chapters| {
                    chapters.scores.function = function;
                })
            >
                {name(function)}
            </button>
            <Prose part />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, scores.weights).to_owned())
                test_id=format!("{}-bars", function.word())
                height=140.0
                chart
            />
            <p class="lesson-scores">
                {t!(i18n, scores.scores)} " "
                <span class="number" data-testid=format!("{}-scores", function.word())>{scores}</span>
            </p>
        </section>
    }
}
