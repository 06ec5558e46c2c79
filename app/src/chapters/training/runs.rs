//! The runs of this visit in a list, with what each does and the buttons that move it.

use leptos::prelude::*;

use super::{
    Shown,
    words::{phase_words, problem_words, summary},
};
use crate::{
    i18n::{t, t_string, use_i18n},
    training::{Event, MOST_RUNS, Phase, Run, RunNumber, RunProblem},
    widgets::{
        ScrollRegion,
        numbers::{decimal, grouped, percent},
    },
};
use attention_protocol::training::TrainingFailure;

/// The list; a hint where there are none.
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
        <section class="training-runs">
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
    let memory = of(|run| Some(megabytes(run.memory_bytes)));
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

/// Bytes as megabytes (10⁶).
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// What can be done with a run on screen, how far it is, and what ended it.
#[component]
fn RunControls(number: RunNumber) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let runs = shown.runs;
    let phase = runs.of_run(move || Some(number), |run| Some(run.phase.clone()));
    let steps = runs.of_run(
        move || Some(number),
        |run| Some((run.step(), run.settings.optimizer.steps)),
    );
    let is_busy = Memo::new(move |_| {
        matches!(
            phase.get(),
            Some(Phase::Starting | Phase::Training | Phase::Pausing)
        )
    });
    let may_go_on = Memo::new(move |_| phase.with(|phase| phase.as_ref().is_some_and(goes_on)));
    let is_alone = Memo::new(move |_| shown.columns.read().len() < 2);
    let is_other = Memo::new(move |_| shown.run.get() != Some(number));
    let problem = move || match phase.get()? {
        Phase::Failed(problem) => Some(problem_words(i18n, &problem)),
        _ => None,
    };
    let reached = runs.of_run(move || Some(number), |run| run.reached(0.99));
    let reached = move || {
        let (step, seconds) = reached.get()?;
        Some(t_string!(
            i18n,
            training.reached,
            step = grouped(step as u64),
            seconds = format!("{seconds:.1}")
        ))
    };
    view! {
        <div class="training-run" data-testid="training-run" data-run=number>
            <span class="training-name">
                {move || t_string!(i18n, training.run_number, number = number)}
            </span>
            <progress
                max=move || steps.get().map(|(_, steps)| steps)
                value=move || steps.get().map(|(step, _)| step)
                aria-label=move || t_string!(i18n, training.progress, number = number)
            ></progress>
            <div class="training-actions">
                <Show when=move || is_busy.get()>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="training-pause"
                        on:click=move |_| runs.tell(Event::Pause(number))
                    >
                        {t!(i18n, training.pause)}
                    </button>
                </Show>
                <Show when=move || may_go_on.get()>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="training-go-on"
                        on:click=move |_| runs.tell(Event::GoOn(number))
                    >
                        {t!(i18n, training.go_on)}
                    </button>
                </Show>
                <Show when=move || is_other.get()>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="training-alone"
                        on:click=move |_| shown.update(|training| training.beside = 0)
                    >
                        {t!(i18n, training.hide)}
                    </button>
                </Show>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="training-remove"
                    on:click=move |_| runs.tell(Event::Remove(number))
                >
                    {t!(i18n, training.remove)}
                </button>
            </div>
            <Show when=move || is_alone.get()>
                <Beside number />
            </Show>
            <p class="hint number" data-testid="training-reached">{reached}</p>
            <p class="training-problem" role="alert" data-testid="training-failure">{problem}</p>
        </div>
    }
}

/// Whether more steps of a run make sense: after a loss that is no number, none would be one.
fn goes_on(phase: &Phase) -> bool {
    match phase {
        Phase::Paused | Phase::Finished => true,
        Phase::Failed(problem) => !matches!(
            problem,
            RunProblem::Failure(
                TrainingFailure::Diverged { .. } | TrainingFailure::Settings { .. }
            )
        ),
        Phase::Starting | Phase::Training | Phase::Pausing => false,
    }
}

/// Puts another run beside this one.
#[component]
fn Beside(number: RunNumber) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let others = shown.runs.select(move |runs| {
        let others = runs.list().iter().map(|run| run.number);
        others.filter(|other| *other != number).collect::<Vec<_>>()
    });
    let button = move |other: RunNumber| {
        view! {
            <button
                type="button"
                class="chip"
                data-testid="training-beside"
                on:click=move |_| shown.update(|training| {
                    (training.run, training.beside) = (number, other);
                })
            >
                {move || t_string!(i18n, training.run_number, number = other)}
            </button>
        }
    };
    view! {
        <Show when=move || !others.read().is_empty()>
            <div
                class="training-actions"
                role="group"
                aria-label=move || t_string!(i18n, training.beside)
            >
                <span class="hint">{t!(i18n, training.beside)}</span>
                {move || others.get().into_iter().map(button).collect_view()}
            </div>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_whose_loss_is_no_number_does_not_go_on() {
        let failed = |failure| Phase::Failed(RunProblem::Failure(failure));
        assert!(!goes_on(&failed(TrainingFailure::Diverged { step: 3 })));
        assert!(goes_on(&failed(TrainingFailure::Engine {
            reason: String::new()
        })));
        assert!(goes_on(&Phase::Paused) && !goes_on(&Phase::Training));
    }
}
