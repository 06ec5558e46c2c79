//! Exercises: a small task in code on the numbers of the sentence on screen, whose answer the page checks.

mod tasks;
mod words;

#[cfg(test)]
mod tests;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    selection::{Kinds, SelfAttention},
    state::{Sitting, ViewState},
    widgets::{CopyButton, Expected},
};
use attention_trace::snippets::Sizes;
use leptos::prelude::*;

use self::{
    tasks::{Made, Mistake, Task, task_of},
    words::{reason, task_words},
};
use crate::kit::{
    evidence::{Evidence, Gap, Need},
    gathered::with_matrices,
};

/// The names of the exercise, its answer and its solution among the unfolded parts of a chapter.
const OPEN: &str = "homework";
const CHECKED: &str = "exercise";
const SOLUTION: &str = "exercise-solution";

/// The verdict on an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// Nothing was typed yet.
    Empty,
    /// The answer is no number.
    NoNumber,
    Right,
    /// The answer is the result of a known mistake.
    Known(Mistake),
    Wrong,
}

/// Returns the verdict on what was typed.
fn verdict(made: &Made, typed: &str) -> Verdict {
    if typed.trim().is_empty() {
        return Verdict::Empty;
    }
    match made.expected().is_met_by(typed) {
        None => Verdict::NoNumber,
        Some(true) => Verdict::Right,
        Some(false) => {
            let is_met = |result: f64| made.about(result).is_met_by(typed) == Some(true);
            let mut mistakes = made.mistakes.iter();
            mistakes
                .find(|(_, result)| is_met(*result))
                .map_or(Verdict::Wrong, |(mistake, _)| Verdict::Known(*mistake))
        }
    }
}

/// The exercise of a chapter; nothing where it has none.
#[component]
pub fn Exercise(
    /// The name of the chapter.
    chapter: &'static str,
) -> impl IntoView {
    let task = task_of(chapter)?;
    SelfAttention::provide(Kinds::OfSelf);
    Some(view! { <Asked task /> })
}

#[component]
fn Asked(task: &'static Task) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_shown = move |name: &'static str| {
        state.select(move |view| {
            view.chapters
                .reading
                .answers
                .iter()
                .any(|answer| answer == name)
        })
    };
    let (is_open, is_checked, is_solved) = (is_shown(OPEN), is_shown(CHECKED), is_shown(SOLUTION));
    let made = made(task, is_open);
    let typed = state.select(|view| {
        let predictions = &view.chapters.reading.predictions;
        predictions.get(CHECKED).cloned().unwrap_or_default()
    });
    let show = move |name: &'static str, shown: bool| {
        state.update_chapters(|chapters| chapters.reading.set_answer(name, shown));
    };
    // What was typed into the field; an answer in the address is there at once.
    let draft = RwSignal::new(typed.get_untracked());
    Effect::new(move |_| draft.set(typed.get()));
    let check = move || {
        state.update_chapters(|chapters| {
            chapters.reading.predict(CHECKED, &draft.get_untracked());
            chapters.reading.set_answer(CHECKED, true);
        });
    };
    let said = Memo::new(move |_| {
        let made = made.read();
        // Why there is none is said in place of the numbers.
        let made = made.as_ref().ok()?;
        is_checked.get().then(|| verdict(made, &typed.read()))
    });
    view! {
        <section class="kit exercise">
            <details
                class="test"
                data-testid="exercise"
                prop:open=move || is_open.get()
                on:toggle:target=move |event| {
                    let open = event.target().open();
                    if open != is_open.get_untracked() {
                        show(OPEN, open);
                    }
                }
            >
                <summary>{t!(i18n, exercises.title)}</summary>
                <p>{move || task_words(task.name)}</p>
                {move || match made.get() {
                    _ if !is_open.get() => ().into_any(),
                    Err(gap) => view! { <p class="hint" role="status">{reason(gap)}</p> }.into_any(),
                    Ok(made) => {
                        view! { <Listing code=made.given test_id="exercise-given" /> }.into_any()
                    }
                }}
                <form
                    class="exercise-answer"
                    on:submit=move |event| {
                        event.prevent_default();
                        check();
                    }
                >
                    <label>
                        {t!(i18n, exercises.result)}
                        <input
                            class="answer-number"
                            type="text"
                            inputmode="decimal"
                            autocomplete="off"
                            data-testid="exercise-typed"
                            prop:value=draft
                            on:input:target=move |event| {
                                draft.set(event.target().value());
                                if is_checked.get_untracked() {
                                    show(CHECKED, false);
                                }
                            }
                        />
                    </label>
                    <button
                        type="submit"
                        class="plain-button"
                        data-testid="exercise-check"
                        disabled=move || made.read().is_err()
                    >
                        {t!(i18n, exercises.check)}
                    </button>
                </form>
                <p
                    role="status"
                    data-testid="exercise-verdict"
                    class=move || match said.get() {
                        Some(Verdict::Right) => "verdict right",
                        Some(_) => "verdict wrong",
                        None => "verdict",
                    }
                >
                    {move || said.get().map(|verdict| words::verdict_words(verdict, &typed.read()))}
                </p>
                <details
                    data-testid="exercise-solution"
                    prop:open=move || is_solved.get()
                    on:toggle:target=move |event| {
                        let open = event.target().open();
                        if open != is_solved.get_untracked() {
                            show(SOLUTION, open);
                        }
                    }
                >
                    <summary>{t!(i18n, exercises.solution)}</summary>
                    {move || {
                        // Why there is none is said in place of the numbers.
                        let made = made.get().ok().filter(|_| is_solved.get())?;
                        let code = task.solved(&made);
                        let right = words::number(made.right);
                        Some(view! {
                            <Listing code test_id="exercise-code" />
                            <p class="hint">{t!(i18n, exercises.prints, right = right)}</p>
                        })
                    }}
                </details>
            </details>
        </section>
    }
}

/// Lines of Python, and the button that copies them.
#[component]
fn Listing(
    code: String,
    /// The `data-testid` of the lines.
    test_id: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let copied = code.clone();
    view! {
        <div class="exercise-code">
            <pre
                class="snippet-code"
                data-testid=test_id
                tabindex="0"
                role="region"
                translate="no"
                aria-label=move || t_string!(i18n, exercises.code)
            >
                <code>{code}</code>
            </pre>
            <CopyButton
                test_id="copy-exercise"
                text=move || copied.clone()
                name=Signal::derive(move || t_string!(i18n, chapters.code_copy).to_owned())
                copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                refused=Signal::derive(move || t_string!(i18n, shell.answer_not_copied).to_owned())
            />
        </div>
    }
}

/// The task on the pass on screen, whose matrices are asked for while it is open.
fn made(task: &'static Task, is_open: Memo<bool>) -> Memo<Result<Made, Gap>> {
    let live = Live::expect();
    let evidence = with_matrices(Sitting::Before, move || -> Vec<Need> {
        let needs = task.needs.iter().filter(|_| is_open.get());
        needs.copied().collect()
    });
    Memo::new(move |_| {
        let sizes = live.trace().map(|trace| Sizes::of(&trace.meta));
        let sizes = sizes.ok_or(Gap::Loading)?;
        // A recurrent model has no head and so no evidence, which only some tasks need.
        let gap = match live
            .trace()
            .is_some_and(|trace| trace.meta.spec.recurrence.is_some())
        {
            true => Gap::Model,
            false => Gap::Loading,
        };
        let evidence = evidence.read();
        let evidence: Result<&Evidence, Gap> = evidence.as_ref().ok_or(gap);
        (task.make)(&sizes, evidence)
    })
}

impl Made {
    /// The right answer, within its tolerance.
    fn expected(&self) -> Expected {
        self.about(self.right)
    }
}
