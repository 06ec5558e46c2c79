//! The model trained anew in this browser, with two layers and with one: its guesses, and the scores of its heads.

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::HeadChoice,
    training::{Event, Phase, Run, RunNumber, TrainingRuns},
    widgets::{Plot, PlotFigure, numbers::grouped},
};
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_protocol::training::TrainingDevice;
use attention_trace::{
    Pieces, TraceMeta,
    roles::RoleScore,
    training::{
        Decay, Observation, OptimizerKind, OptimizerSettings, Schedule, Sequences, Shape, Task,
        TrainingSettings,
    },
};
use leptos::prelude::*;

use super::{found::scores_of, parameters::ScoreKind};

/// Layers of the two runs, in the order in which they are started.
const LAYERS: [usize; 2] = [2, 1];

/// Returns the settings of the shipped model, `model/recipes/watched/induction.toml`, with so many layers.
fn settings(layers: usize) -> TrainingSettings {
    TrainingSettings {
        task: Task::Repeat {
            sequences: Sequences {
                letters: 20,
                shortest: 6,
                longest: 14,
            },
        },
        shape: Shape {
            layers,
            heads: 4,
            width: 64,
            feed_forward: false,
            ..Shape::default()
        },
        optimizer: OptimizerSettings {
            kind: OptimizerKind::Adam,
            schedule: Schedule {
                peak: 0.003,
                warmup_steps: 50,
                decay: Decay::Cosine,
            },
            batch: 32,
            steps: 800,
        },
        seed: 3,
    }
}

/// Returns the newest run of these settings.
fn newest(runs: TrainingRuns, layers: usize) -> Memo<Option<RunNumber>> {
    runs.select(move |runs| {
        let wanted = settings(layers);
        let own = runs.list().iter().rev().find(|run| run.settings == wanted);
        own.map(|run| run.number)
    })
}

/// Returns the highest score of any head in an observed example; `None` if it has no such score.
fn highest(run: &Run, observed: &Observation, wanted: ScoreKind) -> Option<f32> {
    let meta = TraceMeta {
        spec: run.spec.as_ref()?.as_ref().clone(),
        source: vec![],
        target: observed.target.clone(),
        pieces: Pieces::default(),
    };
    let heads = observed.attention.iter().flat_map(|record| {
        let meta = &meta;
        let count = record.weights.shape.first().copied().unwrap_or(0);
        (0..count).filter_map(move |head| {
            let choice = HeadChoice {
                attention: record.layer,
                head,
            };
            scores_of(meta, choice, record.weights.matrix(head)?)?.of(wanted)
        })
    });
    heads.map(|score: RoleScore| score.weight).reduce(f32::max)
}

/// Returns the points of a curve over the checkpoints of a run.
fn points(run: &Run, value: impl Fn(&Run, usize) -> Option<f32>) -> Vec<(f64, f64)> {
    let shots = run.snapshots.iter().enumerate();
    let points =
        shots.filter_map(|(index, shot)| Some((shot.0.step as f64, f64::from(value(run, index)?))));
    points.collect()
}

/// The share of right letters at each checkpoint.
fn right(run: &Run) -> Vec<(f64, f64)> {
    points(run, |run, index| {
        Some(run.snapshots[index].0.evaluation.token_accuracy)
    })
}

/// The highest score of a head at each checkpoint.
fn scores(run: &Run, wanted: ScoreKind) -> Vec<(f64, f64)> {
    points(run, |run, index| {
        highest(run, &run.snapshots[index].0.observation, wanted)
    })
}

/// The button, the progress of both runs, and their curves.
#[component]
pub fn TrainedHere() -> impl IntoView {
    let i18n = use_i18n();
    let runs = TrainingRuns::of_page();
    let [two, one] = LAYERS.map(|layers| newest(runs, layers));
    let has_runs = Memo::new(move |_| two.get().or(one.get()).is_some());
    let start = move |_| {
        runs.tell(Event::Start {
            settings: LAYERS.map(settings).to_vec(),
            device: TrainingDevice::Cpu,
            watched: String::new(),
        });
    };
    view! {
        <section class="lesson-figure" data-testid="induction-training">
            <div class="training-actions">
                <button type="button" class="main-button" data-testid="induction-start" on:click=start>
                    {t!(i18n, induction.start)}
                </button>
            </div>
            <Show when=move || has_runs.get()>
                <Progress run=two layers=2 />
                <Progress run=one layers=1 />
                <Curves two one />
            </Show>
        </section>
    }
}

/// The progress of a run, and the buttons that pause it and remove it.
#[component]
fn Progress(run: Memo<Option<RunNumber>>, layers: usize) -> impl IntoView {
    let i18n = use_i18n();
    let runs = TrainingRuns::of_page();
    let state = runs.of_run(
        move || run.get(),
        |run| {
            Some((
                run.step(),
                run.settings.optimizer.steps,
                run.phase.clone(),
                run.seconds as u64,
            ))
        },
    );
    let is_busy = Memo::new(move |_| {
        state.with(|state| {
            let phase = state.as_ref().map(|(.., phase, _)| phase);
            matches!(
                phase,
                Some(Phase::Starting | Phase::Training | Phase::Pausing)
            )
        })
    });
    let is_paused =
        Memo::new(move |_| state.with(|state| matches!(state, Some((_, _, Phase::Paused, _)))));
    let has_failed =
        Memo::new(move |_| state.with(|state| matches!(state, Some((_, _, Phase::Failed(_), _)))));
    let words = move || {
        let (step, steps, _, seconds) = state.get()?;
        Some(t_string!(
            i18n,
            induction.progress,
            layers = layers,
            step = grouped(step as u64),
            steps = grouped(steps as u64),
            seconds = seconds
        ))
    };
    let tell = move |event: fn(RunNumber) -> Event| {
        move |_| {
            if let Some(number) = run.get_untracked() {
                runs.tell(event(number));
            }
        }
    };
    view! {
        <Show when=move || run.get().is_some()>
            <div class="training-run" data-testid="induction-run" data-layers=layers>
                <progress
                    max=move || state.get().map(|(_, steps, ..)| steps)
                    value=move || state.get().map(|(step, ..)| step)
                    aria-label=move || t_string!(i18n, induction.run_of, layers = layers)
                ></progress>
                <p class="number" data-testid="induction-progress">{words}</p>
                <div class="training-actions">
                    <Show when=move || is_busy.get()>
                        <button type="button" class="plain-button" on:click=tell(Event::Pause)>
                            {t!(i18n, training.pause)}
                        </button>
                    </Show>
                    <Show when=move || is_paused.get()>
                        <button type="button" class="plain-button" on:click=tell(Event::GoOn)>
                            {t!(i18n, training.go_on)}
                        </button>
                    </Show>
                    <button type="button" class="plain-button" on:click=tell(Event::Remove)>
                        {t!(i18n, training.remove)}
                    </button>
                </div>
                <Show when=move || has_failed.get()>
                    <p class="training-problem" role="alert">{t!(i18n, induction.failed)}</p>
                </Show>
            </div>
        </Show>
    }
}

/// The shares of right letters of both runs, and the two scores of the heads of the one with two layers.
#[component]
fn Curves(two: Memo<Option<RunNumber>>, one: Memo<Option<RunNumber>>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let runs = TrainingRuns::of_page();
    let of_two = runs.of_run(
        move || two.get(),
        |run| {
            let scores =
                [ScoreKind::Previous, ScoreKind::Induction].map(|wanted| scores(run, wanted));
            Some((right(run), scores))
        },
    );
    let of_one = runs.of_run(move || one.get(), |run| Some(right(run)));
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let (right, [previous, induction]) = of_two.get().unwrap_or_default();
        let named = [
            (t_string!(i18n, induction.right_two), right),
            (
                t_string!(i18n, induction.right_one),
                of_one.get().unwrap_or_default(),
            ),
            (t_string!(i18n, induction.best_previous), previous),
            (t_string!(i18n, induction.best_induction), induction),
        ];
        let curves = named.into_iter().enumerate();
        let curves = curves.map(|(index, (name, points))| Curve {
            points,
            ..Curve::counted(name.to_owned(), &[], categorical(index, theme))
        });
        let steps = settings(2).optimizer.steps as f64;
        Plot {
            x: Axis::new(t_string!(i18n, training.step), 0.0, steps),
            y: Axis::new(t_string!(i18n, induction.share), 0.0, 1.0),
            curves: curves.collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, induction.grown).to_owned())
            text=Signal::derive(move || t_string!(i18n, induction.grown_text).to_owned())
            test_id="induction-grown"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_the_shipped_model() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../model/recipes/watched/induction.toml"
        );
        let recipe: TrainingSettings =
            toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(settings(2), recipe);
        assert_eq!(settings(1).check(), Ok(()));
    }
}
