//! The answer of the model, and the origin of the picture below.

use attention_trace::{Hypothesis, Token, Trace};
use leptos::prelude::*;

use super::{controls::Cancel, guessed::Guessed};
use attention_core::{
    edits::EditedMark,
    engine::{Live, Source},
    i18n::{t, t_string, use_i18n},
    names::token_label,
    state::ViewState,
    widgets::{CopyButton, Popover, numbers::decimal},
};

/// The number of input tokens listed in one line, until the visitor requests all.
const SHOWN_TOKENS: usize = 24;

/// The answer on screen; during a run, the new answer so far.
///
/// Its elements stay while results change: each new element would leave an entry behind in the lists of subscribers to
/// the language.
#[component]
pub fn ResultPanel() -> impl IntoView {
    let live = Live::expect();
    let has_result = Memo::new(move |_| live.trace().is_some());
    let answered = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        Some(job.text.clone())
    });
    let answer = Memo::new(move |_| {
        let trace = live.trace()?;
        let best = trace.decoding.as_ref()?.hypotheses.first()?;
        Some(best.text.clone())
    });
    view! {
        <div class="result" data-testid="result" data-text=answered>
            <div class="result-line" aria-live="polite">
                <Translation answer />
                <Guessed />
                <Origin />
                <EditedMark />
                <Others />
                <CopyAnswer answer />
                // Last in the line, so that nothing else moves when it comes.
                <Cancel />
            </div>
            <Forced />
            <Show when=move || has_result.get()>
                <SourceTokens />
            </Show>
        </div>
    }
}

/// The best text of the current run, or else of the result on screen.
#[component]
fn Translation(answer: Memo<Option<String>>) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let partial = live.select(|engine| engine.running.as_ref().map(|run| run.text.clone()));
    let running = Memo::new(move |_| partial.read().is_some());
    let is_empty = Memo::new(move |_| answer.read().as_deref() == Some(""));
    let goes_on = live.select(|engine| {
        let shown = engine.shown.as_ref();
        shown.is_some_and(|shown| !shown.trace.meta.spec.reads_source())
    });
    view! {
        <p
            class="translation"
            data-testid="translation"
            class:is-hidden=running
        >
            {answer}
            <Show when=move || is_empty.get()>
                <span class="hint" data-testid="empty-answer">
                    {move || match goes_on.get() {
                        true => t_string!(i18n, shell.empty_continuation),
                        false => t_string!(i18n, shell.empty_answer),
                    }}
                </span>
            </Show>
        </p>
        <p
            class="translation partial"
            data-testid="partial"
            class:is-hidden=move || !running.get()
            title=move || t_string!(i18n, shell.running)
        >
            {partial}<span class="caret" aria-hidden="true"></span>
        </p>
    }
}

/// A button that copies the answer, if there is one.
#[component]
fn CopyAnswer(answer: Memo<Option<String>>) -> impl IntoView {
    let i18n = use_i18n();
    let is_there = Memo::new(move |_| {
        answer
            .read()
            .as_deref()
            .is_some_and(|text| !text.is_empty())
    });
    view! {
        <span class="copy-answer" class:is-hidden=move || !is_there.get()>
            <CopyButton
                test_id="copy-answer"
                text=move || answer.get_untracked().unwrap_or_default()
                name=Signal::derive(move || t_string!(i18n, shell.copy_answer).to_owned())
                copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                refused=Signal::derive(move || t_string!(i18n, shell.answer_not_copied).to_owned())
            />
        </span>
    }
}

/// The origin of the picture on screen.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    Example,
    Live,
    /// Live, from another text than the typed one.
    Edited,
    /// Live, from another model than the chosen one, which has not answered yet.
    OfOtherModel,
    /// A recorded pass from the visitor's disk.
    Recorded,
    /// One in which something was changed.
    RecordedEdited,
}

/// A note whether the picture is the stored example or live, and whether it answers the typed text.
#[component]
fn Origin() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let typed = state.select(|view| view.text.clone());
    let chosen = state.select(|view| view.model);
    let answered = live.select(|engine| {
        let shown = engine.shown.as_ref()?;
        let asked = shown.job.as_ref().map(|job| (job.model, job.text.clone()));
        let is_edited = !shown.trace.edits.is_empty();
        Some((shown.source.clone(), asked, is_edited))
    });
    let busy = live.select(|engine| engine.running.is_some());
    let shows = Memo::new(move |_| {
        let (source, asked, was_edited) = answered.get()?;
        let (model, text) = asked.unzip();
        let is_edited = text.is_some_and(|text| text != *typed.read()) && !busy.get();
        Some(match source {
            Source::Example => Shows::Example,
            Source::Recorded if was_edited => Shows::RecordedEdited,
            Source::Recorded => Shows::Recorded,
            Source::Live(_) if model.is_some_and(|model| model != chosen.get()) => {
                Shows::OfOtherModel
            }
            Source::Live(_) if is_edited => Shows::Edited,
            Source::Live(_) => Shows::Live,
        })
    });
    let words = move || {
        shows.get().map(|shows| match shows {
            Shows::Example => t_string!(i18n, shell.worked_example),
            Shows::Live => t_string!(i18n, shell.live),
            Shows::Edited => t_string!(i18n, shell.edited),
            Shows::OfOtherModel => t_string!(i18n, shell.of_other_model),
            Shows::Recorded => t_string!(i18n, shell.recorded),
            Shows::RecordedEdited => t_string!(i18n, shell.recorded_edited),
        })
    };
    let origin = move || {
        shows.get().map(|shows| match shows {
            Shows::Example => "example",
            Shows::Live | Shows::Edited => "live",
            Shows::OfOtherModel => "other-model",
            Shows::Recorded | Shows::RecordedEdited => "recorded",
        })
    };
    view! {
        <p
            class="badge"
            class:live=move || shows.get() == Some(Shows::Live)
            class:is-hidden=move || shows.get().is_none()
            data-testid="origin"
            data-origin=origin
        >
            {words}
        </p>
    }
}

/// The input as split by the tokenizer; unknown tokens are marked and explained.
#[component]
fn SourceTokens() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let tokens = Memo::new(move |_| {
        live.trace()
            .map(|trace| read_tokens(&trace))
            .unwrap_or_default()
    });
    let all = RwSignal::new(false);
    let count = Memo::new(move |_| tokens.read().len());
    let more = Memo::new(move |_| !all.get() && count.get() > SHOWN_TOKENS);
    let unknown = Memo::new(move |_| tokens.read().iter().any(|token| token.unknown));
    // One memo, since an effect that reads a memo that stays before one that changes misses the change.
    let visible = Memo::new(move |_| {
        let most = if more.get() {
            SHOWN_TOKENS
        } else {
            count.get()
        };
        tokens.read().iter().take(most).cloned().collect::<Vec<_>>()
    });
    let label = token_label();
    let shown = move || visible.read().iter().map(label).collect_view();
    view! {
        <div class="source-tokens" class:is-unfolded=all data-testid="source-tokens">
            <span class="source-name">{t!(i18n, shell.tokens)}</span>
            // All of a long text scroll, which the keyboard does where they have the focus.
            <p
                class="source-list"
                role=move || all.get().then_some("region")
                tabindex=move || all.get().then_some("0")
                aria-label=move || all.get().then(|| t_string!(i18n, shell.tokens))
            >
                {shown}
            </p>
            <Show when=move || more.get()>
                <button
                    type="button"
                    class="link-button"
                    data-testid="all-tokens"
                    on:click=move |_| all.set(true)
                >
                    "… " {move || t_string!(i18n, shell.all_tokens, count = count.get())}
                </button>
            </Show>
        </div>
        <Show when=move || unknown.get()>
            <p class="hint warning" data-testid="unknown">{t!(i18n, shell.unknown)}</p>
        </Show>
    }
}

/// Returns the tokens that the model read: the source, or, for a model that reads its own output, that output.
fn read_tokens(trace: &Trace) -> Vec<Token> {
    let meta = &trace.meta;
    let read = if meta.source.is_empty() {
        &meta.target
    } else {
        &meta.source
    };
    read.clone()
}

/// The other hypotheses of a beam search, without the best.
#[component]
fn Others() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let hypotheses = Memo::new(move |_| {
        let trace = live.trace()?;
        Some(trace.decoding.as_ref()?.hypotheses.clone())
    });
    let others = Memo::new(move |_| {
        let count = hypotheses.read().as_ref().map_or(0, Vec::len);
        count.saturating_sub(1)
    });
    let rows = move || {
        let found = hypotheses.get().unwrap_or_default();
        found.into_iter().map(row).collect_view()
    };
    let name = move || t_string!(i18n, shell.more_hypotheses, count = others.get());
    view! {
        <Show when=move || { others.get() > 0 }>
            <Popover class="link-button" test_id="hypotheses-popover" name=move || name()>
                <table class="hypotheses" data-testid="hypotheses">
                    <caption class="hint">{t!(i18n, shell.hypotheses)}</caption>
                    <tbody>{rows}</tbody>
                </table>
            </Popover>
        </Show>
    }
}

fn row(hypothesis: Hypothesis) -> impl IntoView {
    view! {
        <tr>
            <td class="number">{decimal(hypothesis.score, 3)}</td>
            <td>{hypothesis.text}</td>
        </tr>
    }
}

/// The notice of a forced beginning, with a button to undo it.
#[component]
fn Forced() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let forced = ViewState::expect().select(|view| !view.prefix.is_empty());
    view! {
        <Show when=move || forced.get()>
            <p class="hint" data-testid="forced">
                {t!(i18n, shell.forced)} " "
                <button type="button" class="link-button" on:click=move |_| live.run()>
                    {t!(i18n, shell.unforce)}
                </button>
            </p>
        </Show>
    }
}
