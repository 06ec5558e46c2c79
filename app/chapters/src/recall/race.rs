//! Models that learn to recall pairs in this browser: their controls, progress, curves and table.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{
    RECALL_PAIRS, RECALL_STEPS, RecallScore, RecallWay, Recalled, StateRule,
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    parameters::{Learned, Measure, RecallView, Width},
    progress::{Comparison, Progress},
    table::RecallTable,
    updates,
};
use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{Plot, PlotFigure, Segmented, Slider, numbers::decimal},
};

/// Returns the name of a way.
pub fn way_name(i18n: I18nContext<Locale>, way: RecallWay) -> String {
    match way {
        RecallWay::Softmax => t_string!(i18n, recall.softmax),
        RecallWay::State(StateRule::Linear) => t_string!(i18n, recall.linear),
        RecallWay::State(StateRule::Positive) => t_string!(i18n, recall.positive),
        RecallWay::State(StateRule::Delta) => t_string!(i18n, recall.delta),
    }
    .to_owned()
}

/// Returns the quantity that is drawn.
pub fn measured(measure: Measure, score: &RecallScore) -> f32 {
    match measure {
        Measure::Accuracy => score.accuracy,
        Measure::Probability => score.probability,
    }
}

#[component]
pub fn RecallRace() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let recall = state.select(|view| *view.chapters.of::<RecallView>());
    let comparison = Memo::new(move |_| Comparison::of(&recall.get()));
    let progress = RwSignal::new(Progress::default());
    let wanted = Memo::new(move |_| {
        let progress = progress.read();
        // A comparison that is not on screen waits.
        match progress.running == Some(comparison.get()) {
            true => progress.wanted(),
            false => None,
        }
    });
    let asked = Lessons::expect().ask(
        move || {
            wanted
                .get()
                .map(|(run, steps)| Question::Recall { run, steps })
        },
        |answer| match answer {
            Answer::Recalled(model) => Some((**model).clone()),
            _ => None,
        },
    );
    // An effect because an answer goes when the next one comes: what was trained stays.
    Effect::new(move |_| {
        if let Some(model) = asked.answer.get() {
            progress.update(|progress| progress.take(model));
        }
    });
    let models = Memo::new(move |_| progress.with(|progress| progress.models(comparison.get())));
    let has_some = Memo::new(move |_| !models.read().is_empty());
    let measure = Memo::new(move |_| recall.get().measure);
    view! {
        <section class="lesson-figure" data-testid="recall-race">
            <Choices recall />
            <Training progress comparison asked />
            <Show
                when=move || has_some.get()
                fallback=move || view! { <p class="hint">{t!(i18n, recall.nothing_trained)}</p> }
            >
                <Curves models measure />
                <RecallTable models measure comparison />
                <Times models />
            </Show>
        </section>
    }
}

/// The choices of the pairs, of the width, the seed, and of what is drawn.
#[component]
fn Choices(recall: Memo<RecallView>) -> impl IntoView {
    let i18n = use_i18n();
    let update = updates();
    view! {
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, recall.learned).to_owned())
                options=Signal::derive(move || vec![
                    (Learned::Once, t_string!(i18n, recall.once).to_owned()),
                    (Learned::Again, t_string!(i18n, recall.again).to_owned()),
                ])
                value=Signal::derive(move || recall.get().learned)
                choose=move |learned| update(&|view| view.learned = learned)
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, recall.width).to_owned())
                options=Signal::derive(|| vec![
                    (Width::Eight, "d = 8".to_owned()),
                    (Width::Sixteen, "d = 16".to_owned()),
                ])
                value=Signal::derive(move || recall.get().width)
                choose=move |width| update(&|view| view.width = width)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, recall.seed).to_owned())
                test_id="recall-seed"
                range=RecallView::SEEDS
                value=Signal::derive(move || recall.get().seed)
                words=Signal::derive(move || recall.get().seed.to_string())
                set=move |seed| update(&|view| view.seed = seed)
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, recall.measure).to_owned())
                options=Signal::derive(move || vec![
                    (Measure::Accuracy, t_string!(i18n, recall.accuracy).to_owned()),
                    (Measure::Probability, t_string!(i18n, recall.probability).to_owned()),
                ])
                value=Signal::derive(move || recall.get().measure)
                choose=move |measure| update(&|view| view.measure = measure)
            />
        </div>
    }
}

/// The button that trains or stops, and the steps so far.
#[component]
fn Training(
    progress: RwSignal<Progress>,
    comparison: Memo<Comparison>,
    asked: Asked<Recalled>,
) -> impl IntoView {
    let i18n = use_i18n();
    let is_running =
        Memo::new(move |_| progress.with(|progress| progress.running == Some(comparison.get())));
    let steps = Memo::new(move |_| progress.with(|progress| progress.steps(comparison.get())));
    let all = RecallWay::ALL.len() * RECALL_STEPS;
    let press = move |_| {
        let (stops, comparison) = (is_running.get_untracked(), comparison.get_untracked());
        progress.update(|progress| match stops {
            true => progress.running = None,
            false => progress.start(comparison),
        });
    };
    let words = move || {
        let next = progress.with(|progress| progress.next(comparison.get()));
        match (next, steps.get()) {
            (_, 0) if !is_running.get() => String::new(),
            (Some((way, step)), _) => t_string!(
                i18n,
                recall.progress,
                way = way_name(i18n, way),
                step = step,
                count = RECALL_STEPS
            ),
            (None, _) => t_string!(i18n, recall.trained).to_owned(),
        }
    };
    let has_problem = move || asked.problem.read().is_some();
    view! {
        <div class="position-controls">
            <button type="button" class="main-button" data-testid="train-recall" on:click=press>
                {move || match is_running.get() {
                    true => t!(i18n, shell.cancel).into_any(),
                    false => t!(i18n, recall.train).into_any(),
                }}
            </button>
            <progress
                max=all
                value=move || steps.get()
                aria-label=move || t_string!(i18n, recall.steps).to_owned()
            ></progress>
            <span class="number" role="status" data-testid="recall-progress">{words}</span>
        </div>
        <Show when=has_problem>
            <LessonNotice asked />
        </Show>
    }
}

/// A curve for each way against the number of pairs.
#[component]
fn Curves(models: Memo<Vec<Recalled>>, measure: Memo<Measure>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let (theme, measure) = (appearance.get(), measure.get());
        let curve = |model: &Recalled| {
            let place = RecallWay::ALL.iter().position(|way| *way == model.run.way);
            let points = model.scores.iter();
            Curve {
                points: points
                    .map(|score| (score.pairs as f64, f64::from(measured(measure, score))))
                    .collect(),
                ..Curve::counted(
                    way_name(i18n, model.run.way),
                    &[],
                    categorical(place.unwrap_or_default(), theme),
                )
            }
        };
        let last = RECALL_PAIRS[RECALL_PAIRS.len() - 1];
        Plot {
            x: Axis::new(t_string!(i18n, recall.pairs), 0.0, last as f64),
            y: Axis::new(measure_name(i18n, measure), 0.0, 1.0),
            curves: models.read().iter().map(curve).collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, recall.curves).to_owned())
            text=Signal::derive(move || t_string!(i18n, recall.curves_text).to_owned())
            test_id="recall-plot"
            plot
        />
    }
}

/// Returns the name of the quantity that is drawn.
pub fn measure_name(i18n: I18nContext<Locale>, measure: Measure) -> &'static str {
    match measure {
        Measure::Accuracy => t_string!(i18n, recall.accuracy),
        Measure::Probability => t_string!(i18n, recall.probability),
    }
}

/// The seconds that each model was trained for.
#[component]
fn Times(models: Memo<Vec<Recalled>>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let models = models.read();
        let of = |model: &Recalled| {
            let seconds = decimal((model.milliseconds / 1e3) as f32, 1);
            t_string!(
                i18n,
                recall.seconds,
                way = way_name(i18n, model.run.way),
                seconds = seconds
            )
        };
        models.iter().map(of).collect::<Vec<_>>().join(" · ")
    };
    view! { <p class="lesson-reading number" data-testid="recall-times">{words}</p> }
}
