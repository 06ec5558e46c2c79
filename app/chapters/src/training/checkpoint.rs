//! The chosen checkpoint: its step, its predictions, and its maps, with a column for each run on screen.

use leptos::prelude::*;

use super::{
    Shown,
    maps::{Maps, MapsChoice},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    training::{RunNumber, Shot},
    widgets::{
        ScrollRegion, Slider,
        inspector::Inspected,
        numbers::{decimal, grouped, percent},
    },
};

/// The slider through the checkpoints of the chosen run; the run beside it follows.
#[component]
pub fn CheckpointSlider() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let steps = shown.runs.of_run(
        move || shown.run.get(),
        |run| {
            let steps = run.snapshots.iter().map(|shot| shot.0.step);
            Some(steps.collect::<Vec<_>>())
        },
    );
    let asked = shown.view(|training| training.step);
    let last = move || steps.with(|steps| steps.as_ref().map_or(0, |steps| steps.len().max(1) - 1));
    let place = Memo::new(move |_| {
        let asked = asked.get();
        steps.with(|steps| {
            let steps = steps.as_deref().unwrap_or_default();
            let places = asked.map_or(steps.len(), |step| {
                steps.partition_point(|other| *other <= step)
            });
            places.saturating_sub(1)
        })
    });
    let words = move || {
        let step = steps.with(|steps| steps.as_ref()?.get(place.get()).copied())?;
        Some(t_string!(
            i18n,
            training.at_step,
            step = grouped(step as u64)
        ))
    };
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, training.checkpoint).to_owned())
            test_id="training-checkpoint"
            range=Signal::derive(move || (0, last()))
            value=place
            words=Signal::derive(move || words().unwrap_or_default())
            set=move |place| {
                let step = steps.with_untracked(|steps| steps.as_ref()?.get(place).copied());
                // At the end it follows the run.
                let step = step.filter(|_| place < last());
                shown.update(|training| training.step = step);
            }
        />
    }
}

/// A column for each run on screen.
#[component]
pub fn Columns() -> impl IntoView {
    let shown = Shown::expect();
    let columns = Memo::new(move |_| {
        let columns = shown.columns.get().into_iter();
        columns
            .zip(["training-one", "training-other"])
            .collect::<Vec<_>>()
    });
    view! {
        <Inspected>
            <MapsChoice />
            <div class="training-columns">
                <For each=move || columns.get() key=|column| *column let(column)>
                    <Column number=column.0 id=column.1 />
                </For>
            </div>
        </Inspected>
    }
}

#[component]
fn Column(number: RunNumber, id: &'static str) -> impl IntoView {
    let i18n = use_i18n();
    let shot = Shown::expect().snapshot(move || Some(number));
    let facts = move || {
        shot.with(|shot| {
            let Shot(snapshot) = shot.as_ref()?;
            let evaluation = &snapshot.evaluation;
            let of = match evaluation.held_out {
                true => t_string!(i18n, training.of_held_out, count = evaluation.examples),
                false => t_string!(i18n, training.of_learned, count = evaluation.examples),
            };
            Some(t_string!(
                i18n,
                training.checkpoint_facts,
                step = grouped(snapshot.step as u64),
                of = of,
                loss = decimal(evaluation.loss, 3),
                tokens = percent(evaluation.token_accuracy, 1),
                answers = percent(evaluation.sequence_accuracy, 1)
            ))
        })
    };
    view! {
        <section class="training-column" data-testid="training-column" data-run=number>
            <h3 class="panel-title">
                {move || t_string!(i18n, training.run_number, number = number)}
            </h3>
            <p class="hint number" data-testid="training-facts">{facts}</p>
            <Predictions number shot />
            <Maps shot id />
        </section>
    }
}

/// The targets of the watched example, and the predictions.
#[component]
fn Predictions(number: RunNumber, shot: Memo<Option<Shot>>) -> impl IntoView {
    let i18n = use_i18n();
    let name = token_name();
    let rows = Memo::new(move |_| {
        shot.with(|shot| {
            let Shot(snapshot) = shot.as_ref()?;
            let predictions = snapshot.observation.predictions.iter();
            let row = |prediction: &attention_trace::training::Prediction| {
                let is_right = prediction.best.id == prediction.expected.id;
                (
                    name(&prediction.expected),
                    name(&prediction.best),
                    percent(prediction.probability, 1),
                    is_right,
                )
            };
            Some(predictions.map(row).collect::<Vec<_>>())
        })
    });
    let cells = move |cell: fn(&(String, String, String, bool)) -> AnyView| {
        rows.with(|rows| Some(rows.as_ref()?.iter().map(cell).collect_view()))
    };
    let read = move || {
        shot.with(|shot| {
            let observation = &shot.as_ref()?.0.observation;
            let tokens = match observation.source.is_empty() {
                true => &observation.target,
                false => &observation.source,
            };
            Some(tokens.iter().map(name).collect::<Vec<_>>().join(" "))
        })
    };
    view! {
        <p class="training-read">
            <span class="hint">{t!(i18n, training.watched)}</span> " " <span>{read}</span>
        </p>
        <ScrollRegion
            class="lesson-table"
            name=Signal::derive(move || t_string!(i18n, training.predictions, number = number))
        >
            <table
                data-testid="training-predictions"
                aria-label=move || t_string!(i18n, training.predictions, number = number)
            >
                <tbody>
                    <tr>
                        <th scope="row">{t!(i18n, training.expected)}</th>
                        {move || cells(|(expected, ..)| view! { <td>{expected.clone()}</td> }.into_any())}
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, training.predicted)}</th>
                        {move || cells(|(_, best, _, is_right)| {
                            let mark = if *is_right { "✓ " } else { "✗ " };
                            view! { <td class:is-wrong=!is_right>{mark} {best.clone()}</td> }.into_any()
                        })}
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, training.probability)}</th>
                        {move || cells(|(_, _, probability, _)| {
                            view! { <td class="number">{probability.clone()}</td> }.into_any()
                        })}
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
    }
}
