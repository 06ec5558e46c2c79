//! The panel of a measurement on the visitor's sentences: the sentences, the start, the progress and the result.

use attention_trace::{ModelSpec, roles::RolesQuestion};
use leptos::prelude::*;

use super::{
    FoundRoles, RoleCorpus,
    given::{GivenFields, origin_words},
    measurement::{Measurement, Stage},
};
use crate::{
    engine::{Live, Phase},
    i18n::{t, t_string, use_i18n},
    mine::Mine,
    problems::failure_words,
    state::{View, ViewState},
};

/// The seed of the random tokens that induction is measured on, as that of `attn roles`.
const SEED: u64 = 16;

/// The fields for sentences, the measurement and its progress.
#[component]
pub fn CorpusPanel() -> impl IntoView {
    let i18n = use_i18n();
    let (state, mine) = (ViewState::expect(), Mine::expect());
    let model = state.select(|view| view.model);
    let is_recorded = Memo::new(move |_| {
        mine.about();
        mine.recorded(model.get()).is_some()
    });
    view! {
        <section
            class="corpus"
            data-testid="corpus"
            aria-label=move || t_string!(i18n, corpus.title)
        >
            <GivenFields />
            <Show
                when=move || !is_recorded.get()
                fallback=move || view! { <p class="notice">{t!(i18n, corpus.recorded)}</p> }
            >
                <Controls />
            </Show>
            <Result />
        </section>
    }
}

/// Returns the specification of the view's model, once it is loaded.
fn loaded() -> Memo<Option<ModelSpec>> {
    let model = ViewState::expect().select(|view| view.model);
    let live = Live::expect();
    Memo::new(move |_| {
        let wanted = model.get();
        live.select_now(|engine| match &engine.phase {
            Phase::Ready { model, reply } if *model == wanted => Some(reply.spec.clone()),
            _ => None,
        })
    })
}

/// Returns a function that puts in front of a text what the view's model reads there.
fn as_read(view: &View) -> impl Fn(String) -> String {
    let before = match view.model.card().prefix {
        Some(prefix) => format!("{prefix} "),
        None => view.beginning.source.clone(),
    };
    move |text| match text.starts_with(before.trim_end()) {
        true => text,
        false => format!("{before}{text}"),
    }
}

/// The measurement of the view's model, if there is one.
fn current() -> Memo<Option<Measurement>> {
    let model = ViewState::expect().select(|view| view.model);
    let corpus = RoleCorpus::expect();
    Memo::new(move |_| {
        let measurement = corpus.measurement.read();
        let own = measurement.as_ref();
        own.filter(|own| own.model == model.get()).cloned()
    })
}

/// The buttons that start, stop and continue the measurement, and its progress.
#[component]
fn Controls() -> impl IntoView {
    let i18n = use_i18n();
    let (corpus, state, live) = (RoleCorpus::expect(), ViewState::expect(), Live::expect());
    let (spec, current) = (loaded(), current());
    let is_busy = Memo::new(move |_| current.read().as_ref().is_some_and(Measurement::is_busy));
    let can_go_on = Memo::new(move |_| {
        let current = current.read();
        let stage = current.as_ref().map(|current| &current.stage);
        matches!(stage, Some(Stage::Stopped | Stage::Failed(_)))
    });
    let can_begin = Memo::new(move |_| spec.read().is_some() && corpus.given.read().is_some());
    let begin = move |_| {
        let (Some(spec), Some(given)) = (spec.get_untracked(), corpus.given.get_untracked()) else {
            return;
        };
        let view = state.get_untracked();
        let question = RolesQuestion {
            sentences: given.sentences(&spec, as_read(&view)),
            forced: view.beginning.forced(Vec::new()),
            seed: SEED,
        };
        state.update_roles(|roles| roles.at.clear());
        let origin = given.origin.clone();
        corpus.measure(Measurement::new(view.model, origin, question));
    };
    let is_waiting = Memo::new(move |_| live.select_now(|engine| engine.running.is_some()));
    view! {
        <div class="position-controls">
            <Show
                when=move || is_busy.get()
                fallback=move || view! {
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="corpus-measure"
                        disabled=move || !can_begin.get()
                        on:click=begin
                    >
                        {t!(i18n, corpus.measure)}
                    </button>
                    <Show when=move || can_go_on.get()>
                        <button
                            type="button"
                            class="plain-button"
                            data-testid="corpus-go-on"
                            on:click=move |_| corpus.change(Measurement::go_on)
                        >
                            {t!(i18n, corpus.go_on)}
                        </button>
                    </Show>
                }
            >
                <button
                    type="button"
                    class="plain-button"
                    data-testid="corpus-cancel"
                    on:click=move |_| corpus.change(Measurement::stop)
                >
                    {t!(i18n, shell.cancel)}
                </button>
            </Show>
            <Progress current is_waiting />
        </div>
        <p class="hint" class:is-hidden=move || spec.read().is_some()>{t!(i18n, corpus.no_model)}</p>
    }
}

/// The number of sentences that were read, and the time that is left.
#[component]
fn Progress(current: Memo<Option<Measurement>>, is_waiting: Memo<bool>) -> impl IntoView {
    let i18n = use_i18n();
    let share = move || current.read().as_ref().map(Measurement::share);
    let is_busy = Memo::new(move |_| current.read().as_ref().is_some_and(Measurement::is_busy));
    let words = move || {
        let measurement = current.get()?;
        let (progress, total) = (&measurement.progress, measurement.question.sentences.len());
        let mut words = match progress.sequences {
            0 => t_string!(
                i18n,
                corpus.progress,
                known = progress.sentences,
                total = total
            ),
            known => {
                t_string!(
                    i18n,
                    corpus.sequences,
                    known = known,
                    total = progress.of_sequences
                )
            }
        };
        let left = measurement.seconds_left().filter(|_| measurement.is_busy());
        if let Some(seconds) = left {
            words.push_str(&t_string!(i18n, corpus.left, seconds = seconds));
        }
        if is_waiting.get() && measurement.is_busy() {
            words.push_str(t_string!(i18n, corpus.after_run));
        }
        if let Stage::Failed(failure) = &measurement.stage {
            words = failure_words(i18n, failure);
        }
        Some(words)
    };
    view! {
        <progress
            max="1"
            class:is-hidden=move || !is_busy.get()
            value=share
            aria-label=move || t_string!(i18n, corpus.measure)
        ></progress>
        <span class="number" role="status" data-testid="corpus-progress">{words}</span>
    }
}

/// The sentences that the result on screen was measured on, and those that the model skipped.
#[component]
fn Result() -> impl IntoView {
    let i18n = use_i18n();
    let corpus = RoleCorpus::expect();
    let model = ViewState::expect().select(|view| view.model);
    let current = current();
    let measured = move || match corpus.found(model.get()) {
        None => t_string!(i18n, corpus.none).to_owned(),
        Some(FoundRoles { set, origin, .. }) => {
            let name = origin_words(i18n, &origin);
            t_string!(
                i18n,
                corpus.measured,
                name = name,
                count = set.0.sentence_count()
            )
            .to_string()
        }
    };
    let skipped = move || {
        let (long, refused, reason) = current.get()?.skipped();
        let listed = |lines: &[usize]| {
            let lines = lines.iter().map(usize::to_string);
            lines.collect::<Vec<_>>().join(", ")
        };
        let mut words = vec![];
        if !long.is_empty() {
            let lines = listed(&long);
            words.push(t_string!(
                i18n,
                corpus.skipped_long,
                count = long.len(),
                lines = lines
            ));
        }
        if let Some(reason) = reason {
            let lines = listed(&refused);
            words.push(t_string!(
                i18n,
                corpus.skipped_refused,
                count = refused.len(),
                lines = lines,
                reason = reason
            ));
        }
        Some(words.join(" "))
    };
    view! {
        <p class="lesson-reading" role="status" data-testid="corpus-measured">{measured}</p>
        <p class="hint" role="status" data-testid="corpus-skipped">{skipped}</p>
    }
}
