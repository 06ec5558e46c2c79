//! The list of this visit's runs, with their phases and their buttons.

use leptos::prelude::*;

use super::{
    Shown,
    controls::RunControls,
    words::{device_name, phase_words, summary},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    training::{MOST_RUNS, Run, RunNumber},
    widgets::{
        ScrollRegion,
        numbers::{decimal, grouped, megabytes, percent},
    },
};

/// The list of runs, or a hint if there are none.
#[component]
pub fn RunList() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let numbers = shown.runs.select(|runs| {
        let newest_first = runs.list().iter().rev();
        newest_first.map(|run| run.number).collect::<Vec<_>>()
    });
    let is_empty = Memo::new(move |_| numbers.read().is_empty());
    view! {
        <section class="training-runs is-wide">
            <Show
                when=move || !is_empty.get()
                fallback=move || view! {
                    <p class="hint" data-testid="training-none">{t!(i18n, training.no_runs)}</p>
                }
            >
                <h3 class="panel-title">{t!(i18n, training.runs)}</h3>
                <ScrollRegion
                    class="lesson-table"
                    test_id="training-runs"
                    name=Signal::derive(move || t_string!(i18n, training.runs).to_owned())
                >
                    <table aria-label=move || t_string!(i18n, training.runs)>
                        <thead>
                            <tr>
                                <th scope="col">{t!(i18n, training.run)}</th>
                                <th scope="col">{t!(i18n, training.state)}</th>
                                <th scope="col">{t!(i18n, engine.device)}</th>
                                <th scope="col">{t!(i18n, training.step)}</th>
                                <th scope="col">{t!(i18n, training.loss)}</th>
                                <th scope="col">{t!(i18n, training.accuracy)}</th>
                                <th scope="col">{t!(i18n, training.speed)}</th>
                                <th scope="col">{t!(i18n, training.time)}</th>
                                <th scope="col">{t!(i18n, training.memory)}</th>
                                <th scope="col">{t!(i18n, training.weights)}</th>
                            </tr>
                        </thead>
                        <tbody>
                            <For each=move || numbers.get() key=|number| *number let(number)>
                                <Row number />
                            </For>
                        </tbody>
                    </table>
                </ScrollRegion>
                <p class="hint">{move || t_string!(i18n, training.runs_hint, most = MOST_RUNS)}</p>
                <For each=move || shown.columns.get() key=|number| *number let(number)>
                    <RunControls number />
                </For>
            </Show>
        </section>
    }
}

/// The numbers of a run; its name opens it.
#[component]
fn Row(number: RunNumber) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let of =
        move |words: fn(&Run) -> Option<String>| shown.runs.of_run(move || Some(number), words);
    let name = shown
        .runs
        .of_run(move || Some(number), |run| Some(run.settings.clone()));
    let phase = shown
        .runs
        .of_run(move || Some(number), |run| Some(run.phase.clone()));
    let device = shown.runs.of_run(
        move || Some(number),
        |run| Some((run.device(), run.adapter.clone())),
    );
    let device = move || {
        let (device, adapter) = device.get()?;
        let name = device_name(i18n, device);
        Some(match adapter.filter(|adapter| !adapter.is_empty()) {
            Some(adapter) => format!("{name} · {adapter}"),
            None => name.to_owned(),
        })
    };
    let step = of(|run| {
        let (step, steps) = (run.step(), run.settings.optimizer.steps);
        Some(format!(
            "{} / {}",
            grouped(step as u64),
            grouped(steps as u64)
        ))
    });
    let loss = of(|run| Some(decimal(run.steps.last()?.loss, 3)));
    let accuracy = of(|run| {
        let newest = run.snapshots.last()?;
        Some(percent(newest.0.evaluation.token_accuracy, 1))
    });
    let speed = of(|run| Some(decimal(run.steps_per_second as f32, 1)));
    let time = of(|run| Some(format!("{:.1} s", run.seconds)));
    let memory = of(|run| Some(format!("{} MB", megabytes(run.memory_bytes))));
    let weights = of(|run| Some(grouped(run.parameters as u64)));
    view! {
        <tr data-run=number>
            <th scope="row">
                <button
                    type="button"
                    class="link-button"
                    data-testid="training-open"
                    aria-pressed=move || (shown.run.get() == Some(number)).to_string()
                    on:click=move |_| shown.update(|training| {
                        (training.run, training.step) = (number, None);
                    })
                >
                    {number} " · "
                    {move || name.with(|settings| Some(summary(i18n, settings.as_ref()?)))}
                </button>
            </th>
            <td data-testid="training-state">
                {move || phase.with(|phase| Some(phase_words(i18n, phase.as_ref()?)))}
            </td>
            <td data-testid="training-on">{device}</td>
            <td class="number" data-testid="training-step">{step}</td>
            <td class="number" data-testid="training-loss-now">{loss}</td>
            <td class="number" data-testid="training-accuracy-now">{accuracy}</td>
            <td class="number" data-testid="training-speed">{speed}</td>
            <td class="number">{time}</td>
            <td class="number">{memory}</td>
            <td class="number">{weights}</td>
        </tr>
    }
}
