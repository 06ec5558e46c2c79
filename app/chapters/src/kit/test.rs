//! A test: questions about the visitor's own sentence, graded by what the model did with it.

use leptos::prelude::*;

use super::{
    evidence::Gap,
    gathered::Gathered,
    gathered_for,
    kits::Kit,
    questions::{Asked, Question},
    scores,
    words::words,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::{Sitting, ViewState},
    widgets::{AnswerField, Prose},
};

/// A test at one of its sittings.
#[derive(Clone, Copy)]
struct Taken {
    kit: &'static Kit,
    sitting: Sitting,
    state: ViewState,
    gathered: Gathered,
    /// The questions answered correctly at the last check, as bits; `None` before the first.
    right: Memo<Option<u8>>,
}

impl Taken {
    fn question(self, number: usize) -> &'static Question {
        &self.kit.questions[number]
    }

    /// Computes a question's right answer from the evidence.
    fn asked(self, number: usize) -> Result<Asked, Gap> {
        let evidence = self.gathered.evidence.read();
        (self.question(number).answer)(evidence.as_ref().ok_or(Gap::Loading)?)
    }

    fn given(self, number: usize) -> Memo<String> {
        let Taken { sitting, state, .. } = self;
        state.select(move |view| view.chapters.quiz.given(sitting, number).to_owned())
    }

    /// Checks all answers; a question without one, or that cannot be asked here, is not answered rightly.
    fn check(self) {
        let quiz = self.state.get_untracked().chapters.quiz;
        let is_right = |number: usize| {
            let given = quiz.given(self.sitting, number);
            // The question says why it cannot be asked.
            let asked = untrack(|| self.asked(number)).ok();
            asked.and_then(|asked| asked.expected.is_met_by(given)) == Some(true)
        };
        let Taken { kit, sitting, .. } = self;
        let right = (0..kit.questions.len()).filter(|&number| is_right(number));
        let right = right.fold(0, |right, number| right | 1 << number);
        self.state
            .update_chapters(|chapters| chapters.quiz.grade(kit.chapter, sitting, right));
    }

    fn retake(self) {
        let Taken { kit, sitting, .. } = self;
        self.state
            .update_chapters(|chapters| chapters.quiz.retake(kit.chapter, sitting));
    }
}

/// The test, folded until the visitor opens it.
#[component]
pub fn Test(kit: &'static Kit, sitting: Sitting) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let right = state.select(move |view| view.chapters.quiz.right(kit.chapter, sitting));
    // Open where an address brings answers.
    let has_answers = move |number| {
        !state
            .get_untracked()
            .chapters
            .quiz
            .given(sitting, number)
            .is_empty()
    };
    let is_open = RwSignal::new((0..kit.questions.len()).any(has_answers));
    let taken = Taken {
        kit,
        sitting,
        state,
        gathered: gathered_for(kit, sitting, is_open.into()),
        right,
    };
    view! {
        <details
            class="test"
            data-testid="test"
            data-sitting=sitting.name()
            prop:open=is_open
            on:toggle:target=move |event| is_open.set(event.target().open())
        >
            <summary>
                {move || match sitting {
                    Sitting::Before => t_string!(i18n, kits.before),
                    Sitting::After if !kit.is_asked_before => t_string!(i18n, kits.once),
                    Sitting::After => t_string!(i18n, kits.after),
                }}
                {kit.is_asked_before.then(|| view! { <Scores kit /> })}
            </summary>
            <Show when=move || is_open.get()>
                <Questions taken />
            </Show>
        </details>
    }
}

/// The two scores side by side, as soon as there is one.
#[component]
fn Scores(kit: &'static Kit) -> impl IntoView {
    let i18n = use_i18n();
    let scores = scores(kit);
    let count = kit.questions.len();
    let written = move |score: Option<u32>| {
        score.map_or_else(|| "–".to_owned(), |score| format!("{score}/{count}"))
    };
    move || {
        let [before, after] = scores.get();
        before.or(after).map(|_| {
            view! {
                <span class="test-scores number" data-testid="test-scores">
                    {t_string!(i18n, kits.scores, before = written(before), after = written(after))}
                </span>
            }
        })
    }
}

#[component]
fn Questions(taken: Taken) -> impl IntoView {
    let i18n = use_i18n();
    let is_checked = Memo::new(move |_| taken.right.get().is_some());
    view! {
        <p class="hint">{move || match taken.sitting {
            Sitting::Before if !taken.kit.runs_changes() => t_string!(i18n, kits.before_hint_computed),
            Sitting::Before => t_string!(i18n, kits.before_hint),
            Sitting::After if !taken.kit.is_asked_before => t_string!(i18n, kits.once_hint),
            Sitting::After if !taken.kit.runs_changes() => t_string!(i18n, kits.after_hint_computed),
            Sitting::After => t_string!(i18n, kits.after_hint),
        }}</p>
        <Runs gathered=taken.gathered />
        <form
            on:submit=move |event| {
                event.prevent_default();
                taken.check();
            }
        >
            <ol class="questions">
                {(0..taken.kit.questions.len()).map(|number| view! { <Item taken number /> }).collect_view()}
            </ol>
            <div class="test-actions">
                <Show
                    when=move || !is_checked.get()
                    fallback=move || view! {
                        <button
                            type="button"
                            class="plain-button"
                            data-testid="retake"
                            on:click=move |_| taken.retake()
                        >
                            {t!(i18n, kits.retake)}
                        </button>
                    }
                >
                    <button type="submit" class="main-button" data-testid="check">
                        {t!(i18n, kits.check)}
                    </button>
                </Show>
                <p role="status" class="verdict" data-testid="test-result">
                    {move || taken.right.get().map(|right| t_string!(
                        i18n,
                        kits.result,
                        right = right.count_ones(),
                        count = taken.kit.questions.len()
                    ))}
                </p>
            </div>
        </form>
    }
}

/// The progress of the passes with changes, and a button that stops them or goes on.
#[component]
fn Runs(gathered: Gathered) -> impl IntoView {
    let i18n = use_i18n();
    let Gathered {
        runs, is_stopped, ..
    } = gathered;
    let goes_on = Memo::new(move |_| {
        let (known, all) = runs.get();
        known < all
    });
    view! {
        <Show when=move || goes_on.get()>
            <p class="test-runs" data-testid="test-runs">
                <span>
                    {move || {
                        let (known, all) = runs.get();
                        match is_stopped.get() {
                            true => t_string!(i18n, kits.runs_stopped, known = known, all = all),
                            false => t_string!(i18n, kits.runs, known = known, all = all),
                        }
                    }}
                </span>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="stop-runs"
                    on:click=move |_| is_stopped.update(|stopped| *stopped = !*stopped)
                >
                    {move || match is_stopped.get() {
                        true => t_string!(i18n, kits.resume_runs),
                        false => t_string!(i18n, kits.stop_runs),
                    }}
                </button>
            </p>
        </Show>
    }
}

/// A question, its field, and after the check whether the answer was right; at the end of the chapter also why.
#[component]
fn Item(taken: Taken, number: usize) -> impl IntoView {
    let i18n = use_i18n();
    let question = taken.question(number);
    let words = words();
    let asked = Memo::new(move |_| taken.asked(number));
    let values = Signal::derive(move || {
        let evidence = taken.gathered.evidence.read();
        // `gap` says why it cannot be asked.
        Some(words(evidence.as_ref()?, asked.read().as_ref().ok()?))
    });
    let gap = move || {
        Some(match asked.get().err()? {
            Gap::Loading if taken.gathered.is_stopped.get() && question.trial.is_some() => {
                t_string!(i18n, kits.not_run)
            }
            Gap::Loading => t_string!(i18n, chapters.waiting),
            Gap::Model => t_string!(i18n, kits.not_this_model),
            Gap::Sentence => t_string!(i18n, kits.not_this_sentence),
        })
    };
    let given = taken.given(number);
    let fixed = Signal::derive(move || taken.right.get().is_some());
    let mark = Memo::new(move |_| taken.right.get().map(|right| right >> number & 1 == 1));
    let explains = taken.sitting == Sitting::After;
    view! {
        <li class="question" data-testid="question" data-question=question.ask>
            <Prose part=question.ask values />
            {move || gap().map(|words| view! { <p class="hint">{words}</p> })}
            <AnswerField
                name=Signal::derive(move || t_string!(i18n, kits.answer_to, number = number + 1).to_string())
                // `gap` says why it cannot be asked.
                expected=Signal::derive(move || Some(asked.get().ok()?.expected))
                given
                fixed
                give=move |answer| taken.state.update_chapters(|chapters| {
                    chapters.quiz.give(taken.sitting, number, &answer);
                })
            />
            {move || mark.get().map(|is_right| view! {
                <p class=if is_right { "verdict right" } else { "verdict wrong" } data-testid="mark">
                    {if is_right { t_string!(i18n, kits.right) } else { t_string!(i18n, kits.wrong) }}
                </p>
                {explains.then(|| view! { <Prose part=question.why values /> })}
            })}
        </li>
    }
}
