//! A series of passes that the visitor starts: its button, its progress and its end.

use attention_core::{
    engine::{Live, SeriesAsked, SeriesRead},
    i18n::{t, t_string, use_i18n},
    problems::failure_words,
    state::{Model, ViewState},
};
use attention_protocol::Failure;
use attention_trace::{Series, SeriesQuestion};
use leptos::prelude::*;

/// A series of passes.
#[derive(Clone, Copy)]
pub struct Measured {
    live: Live,
    model: Memo<Model>,
    asked: RwSignal<Option<SeriesAsked>>,
    /// The question that was asked, while question and model stay the same.
    pub current: Memo<Option<SeriesAsked>>,
    /// The part of the answer that is known.
    pub read: Memo<SeriesRead>,
    question: Signal<Option<SeriesQuestion>>,
}

impl Measured {
    /// Creates a series that answers `question` by the model on screen, once it is started. A change of the question, or of
    /// the model, ends it.
    pub fn new(question: Signal<Option<SeriesQuestion>>) -> Self {
        let model = ViewState::expect().select(|view| view.model);
        Measured::by(Live::expect(), model, question)
    }

    /// The same by another engine and its model.
    pub fn by(live: Live, model: Memo<Model>, question: Signal<Option<SeriesQuestion>>) -> Self {
        let asked = RwSignal::new(None::<SeriesAsked>);
        let current = Memo::new(move |_| {
            let (model, question) = (model.get(), question.get());
            asked
                .get()
                .filter(|asked| asked.model == model && Some(&asked.question) == question.as_ref())
        });
        Measured {
            live,
            model,
            asked,
            current,
            read: live.series(move || current.get()),
            question,
        }
    }
}

/// The button that starts a series or stops it, and its progress.
#[component]
pub fn SeriesControls(
    measured: Measured,
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let Measured {
        live,
        model,
        asked,
        current,
        read,
        question,
    } = measured;
    let goes_on =
        Memo::new(move |_| current.read().is_some() && read.with(|read| read.end.is_none()));
    let counts = Memo::new(move |_| {
        read.with(|read| match &read.known {
            Some(Series::Times { times, total }) => (times.len(), *total),
            Some(Series::LogProbabilities { sums, total }) => {
                (sums.iter().map(|sum| sum.texts).sum(), *total)
            }
            Some(Series::Texts { texts, total }) => {
                (texts.iter().filter(|text| text.is_done).count(), *total)
            }
            None => (0, 0),
        })
    });
    let words = move || {
        let (known, total) = counts.get();
        match read.with(|read| read.end.clone()) {
            None if !goes_on.get() => String::new(),
            None if total == 0 => t_string!(i18n, chapters.waiting).to_owned(),
            None | Some(Ok(())) | Some(Err(Failure::Cancelled)) => {
                t_string!(i18n, chapters.of_count, number = known, count = total)
            }
            Some(Err(failure)) => failure_words(i18n, &failure),
        }
    };
    let press = move |_| {
        if goes_on.get_untracked() {
            live.stop_asked();
            return;
        }
        let Some(question) = question.get_untracked() else {
            return;
        };
        let new = SeriesAsked {
            model: model.get_untracked(),
            question,
        };
        match asked.get_untracked().as_ref() == Some(&new) {
            true => live.ask_again(new),
            false => asked.set(Some(new)),
        }
    };
    view! {
        <div class="position-controls">
            <button type="button" class="plain-button" data-testid=test_id on:click=press>
                {move || match goes_on.get() {
                    true => t!(i18n, shell.cancel).into_any(),
                    false => view! { {name} }.into_any(),
                }}
            </button>
            <span class="number" role="status">{words}</span>
        </div>
    }
}
