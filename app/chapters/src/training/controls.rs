//! Controls of the runs on screen, their progress, and the reason why they ended.

use attention_protocol::training::TrainingFailure;
use leptos::prelude::*;

use super::{
    Shown,
    words::{gave_up_words, problem_words},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    training::{Event, Phase, RunNumber, RunProblem},
    widgets::numbers::grouped,
};

/// The controls of a run on screen, its progress, and the reason why it ended.
#[component]
pub fn RunControls(number: RunNumber) -> impl IntoView {
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
    let gave_up = runs.of_run(move || Some(number), |run| run.gave_up.clone());
    let gave_up = move || Some(gave_up_words(i18n, &gave_up.get()?));
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
            <p class="training-problem" role="status" data-testid="training-gave-up">{gave_up}</p>
            <p class="training-problem" role="alert" data-testid="training-failure">{problem}</p>
        </div>
    }
}

/// True if more steps of a run make sense: after a loss that is not a number, every later loss would be one too.
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

/// Adds another run beside this one on screen.
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
