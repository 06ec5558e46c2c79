//! The importance of each head to the text: the switch, the progress, and the meaning of the bars on the map.

use leptos::prelude::*;

use super::{
    set_scores::{ScoresFault, SetScores, has_scores, is_shown as shows_set},
    texts::signed,
};
use crate::{
    engine::{Importance, Live, Probe},
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::{Ablation, HeadChoice, ImportanceOf, ViewState},
    widgets::{
        Segmented,
        glossary::{Term, gloss},
        numbers::decimal,
    },
};

/// Measures what each head matters as long as the map shows it.
pub fn measure_importance() {
    let (live, state) = (Live::expect(), ViewState::expect());
    let probe = state.select(|view| {
        let is_measured = view.importance && !shows_set(view);
        is_measured.then_some(Probe::Off(view.edits.by))
    });
    // An effect because the engine lies outside the reactive graph.
    Effect::new(move |before: Option<Option<Probe>>| {
        let now = probe.get();
        let before = before.flatten().filter(|before| now != Some(*before));
        if let Some(probe) = now {
            live.measure(probe, true);
        }
        if let Some(probe) = before {
            live.measure(probe, false);
        }
        now
    });
}

/// Shows on the map what each head matters, or hides it.
#[component]
pub fn ImportanceToggle() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_on = state.select(|view| view.importance);
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="importance"
            aria-pressed=move || is_on.get().to_string()
            title=move || t_string!(i18n, edits.importance_hint)
            on:click=move |_| state.set_importance(!is_on.get_untracked())
        >
            {t!(i18n, edits.importance_show)}
        </button>
    }
}

/// Shows the measurement's progress and cost, and the meaning of the bars.
#[component]
pub fn Note() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let by = state.select(|view| view.edits.by);
    let of = state.select(|view| view.importance_of);
    let named = state.select(|view| view.importance_at.clone());
    let has_set = state.select(|view| has_scores(view.model) || !view.importance_at.is_empty());
    let is_set = state.select(shows_set);
    let probe = Signal::derive(move || Probe::Off(by.get()));
    let importance = Memo::new(move |_| {
        let probe = probe.get();
        live.select_now(|engine| engine.importance(probe))
    });
    let means = move || match by.get() {
        _ if is_set.get() && named.read().is_empty() => {
            t_string!(i18n, edits.importance_means_set).to_owned()
        }
        _ if is_set.get() => t_string!(i18n, edits.importance_means_file, name = named.get()),
        Ablation::Zero => t_string!(i18n, edits.importance_means).to_owned(),
        Ablation::Mean => t_string!(i18n, edits.importance_means_mean).to_owned(),
    };
    let scores = SetScores::expect();
    let scale = move || {
        let importance = match is_set.get() {
            true => scores.importance(),
            false => importance.get(),
        };
        let importance = importance.filter(|known| !known.changes.is_empty())?;
        let largest = decimal(importance.largest(), 2);
        Some(t!(i18n, edits.importance_scale, largest = largest.clone(), <nat> = gloss(Term::Nat)))
    };
    view! {
        <div class="importance-note" data-testid="importance-note">
            <Show when=move || has_set.get()>
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, edits.importance_of).to_owned())
                    options=Signal::derive(move || vec![
                        (ImportanceOf::Text, t_string!(i18n, edits.of_text).to_owned()),
                        (ImportanceOf::Sentences, match named.get() {
                            name if name.is_empty() => t_string!(i18n, edits.of_sentences).to_owned(),
                            name => name,
                        }),
                    ])
                    value=of
                    choose=move |of| state.update(|view| view.importance_of = of)
                />
            </Show>
            <p class="hint">{means} " " <span data-testid="importance-scale">{scale}</span></p>
            <Show
                when=move || is_set.get()
                fallback=move || view! { <ImportanceProgress probe importance /> }
            >
                <SetWords />
            </Show>
        </div>
    }
}

/// Measurement on the published sentences; nothing until it is here.
fn set_words() -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let scores = SetScores::expect();
    let name = head_name();
    move || {
        let said = scores.summary()?;
        let (worst, without) = said.worst;
        Some(t_string!(
            i18n,
            edits.set_says,
            pairs = said.pairs,
            bleu = decimal(said.bleu as f32, 1),
            head = name(worst.attention, worst.head),
            without = decimal(without as f32, 1),
            free = said.free
        ))
    }
}

/// A head's change of log p beside the largest of all heads, in words; nothing until every head is measured.
pub fn importance_words(
    head: Signal<Option<HeadChoice>>,
) -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let is_on = state.select(|view| view.importance);
    let (is_set, by) = (state.select(shows_set), state.select(|view| view.edits.by));
    let (name, of_set) = (head_name(), set_words());
    move || {
        if !is_on.get() {
            return None;
        }
        if is_set.get() {
            return of_set();
        }
        let by = by.get();
        let known = live.select_now(|engine| engine.importance(Probe::Off(by)))?;
        let changes = known.changes.iter();
        let (most, fall) = changes.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let head = head.get().filter(|_| known.changes.len() == known.heads)?;
        let change = known.of(head)?;
        Some(t_string!(
            i18n,
            edits.importance_found,
            head = name(head.attention, head.head),
            change = signed(change),
            heads = known.heads,
            most = name(most.attention, most.head),
            fall = signed(*fall)
        ))
    }
}

/// Measurement on the published sentences, or the reason why it is not here.
#[component]
fn SetWords() -> impl IntoView {
    let i18n = use_i18n();
    let scores = SetScores::expect();
    let named = ViewState::expect().select(|view| view.importance_at.clone());
    let found = set_words();
    let words = move || {
        match scores.problem() {
            Some(ScoresFault::Missing(reason)) => {
                return t_string!(i18n, encodings.missing_scores, reason = reason);
            }
            Some(ScoresFault::OtherWeights) => {
                return t_string!(i18n, corpus.other_weights, name = named.get());
            }
            None => {}
        }
        found().unwrap_or_else(|| t_string!(i18n, chapters.waiting).to_owned())
    };
    view! { <p role="status" data-testid="importance-set">{words}</p> }
}

/// Shows the number of heads measured, the one that matters most, and a button that stops or continues the measurement.
#[component]
pub fn ImportanceProgress(
    /// The change that is tried on each head.
    #[prop(into)]
    probe: Signal<Probe>,
    /// The importance measured so far.
    #[prop(into)]
    importance: Signal<Option<Importance>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = head_name();
    let counts = Memo::new(move |_| {
        let importance = importance.read();
        let importance = importance.as_ref()?;
        Some((importance.changes.len(), importance.heads))
    });
    let goes_on = Memo::new(move |_| importance.read().as_ref().is_some_and(|it| it.goes_on));
    let is_stopped = Memo::new(move |_| {
        let is_short = counts.get().is_some_and(|(known, heads)| known < heads);
        is_short && !goes_on.get()
    });
    let words = move || match counts.get() {
        Some((known, heads)) => t_string!(i18n, edits.measured, known = known, heads = heads),
        None => t_string!(i18n, edits.not_measured).to_owned(),
    };
    let most = move || {
        let importance = importance.get()?;
        let changes = importance.changes.iter();
        let (head, change) = changes.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let head = name(head.attention, head.head);
        let change = signed(*change);
        Some(t_string!(
            i18n,
            edits.matters_most,
            head = head,
            change = change
        ))
    };
    view! {
        <p class="importance-progress" data-testid="importance-progress">
            <span class="number">{words}</span>
            <progress
                class:is-hidden=move || !goes_on.get()
                aria-label=move || t_string!(i18n, edits.importance)
                max=move || counts.get().map(|(_, heads)| heads)
                value=move || counts.get().map(|(known, _)| known)
            ></progress>
            <span role="status" class:is-hidden=goes_on>{most}</span>
        </p>
        <Show when=move || goes_on.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="stop-importance"
                on:click=move |_| live.stop_measuring()
            >
                {t!(i18n, shell.cancel)}
            </button>
        </Show>
        <Show when=move || is_stopped.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="resume-importance"
                on:click=move |_| live.measure(probe.get_untracked(), true)
            >
                {t!(i18n, edits.resume)}
            </button>
        </Show>
    }
}
