//! "Predict": a question, a prediction, and an answer that the numbers on screen give.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::{AnswerField, Expected, Prose, Text, Values};
use crate::i18n::{t, t_string, use_i18n};

/// The questions whose answers are shown, and what was predicted. A context: whoever provides it keeps them.
#[derive(Clone, Copy)]
pub struct Answers {
    shown: Signal<Vec<String>>,
    show: Callback<(&'static str, bool)>,
    predictions: Signal<BTreeMap<String, String>>,
    predict: Callback<(&'static str, String)>,
}

impl Answers {
    /// Provides the answers to the components below. `show` is told which is to be shown or hidden, `predict` what is
    /// predicted of a question.
    pub fn provide(
        shown: impl Into<Signal<Vec<String>>>,
        show: impl Fn(&str, bool) + Send + Sync + 'static,
        predictions: impl Into<Signal<BTreeMap<String, String>>>,
        predict: impl Fn(&str, &str) + Send + Sync + 'static,
    ) {
        provide_context(Answers {
            shown: shown.into(),
            show: Callback::new(move |(question, shown): (&'static str, bool)| {
                show(question, shown);
            }),
            predictions: predictions.into(),
            predict: Callback::new(move |(question, prediction): (&'static str, String)| {
                predict(question, &prediction);
            }),
        });
    }
}

/// The predictions of a class. A context where a class may be open.
#[derive(Clone, Copy)]
pub struct ClassPredictions(Callback<&'static str, Vec<(String, usize)>>);

impl ClassPredictions {
    /// Creates the context; `counts` returns the predictions of a question with the number of each.
    pub fn new(
        counts: impl Fn(&'static str) -> Vec<(String, usize)> + Send + Sync + 'static,
    ) -> Self {
        ClassPredictions(Callback::new(counts))
    }
}

/// A question out of the chapter's text, what the visitor predicts, and the answer, hidden until asked for. Nothing
/// where figures stand without prose.
#[component]
pub fn Prompt(
    /// The part that asks, which may have places for what is known before.
    question: &'static str,
    /// The part that answers, with places for what was computed.
    answer: &'static str,
    /// The values for the answer's places, once they are computed.
    #[prop(into)]
    values: Signal<Option<Values>>,
    /// The quantity to be predicted, in a few words.
    #[prop(into, optional)]
    asks: Signal<String>,
    /// The right answer, once it is known; without one, no prediction is asked for.
    #[prop(into, optional)]
    expected: Signal<Option<Expected>>,
) -> impl IntoView {
    Text::has_prose().then(|| view! { <Asked question answer values asks expected /> })
}

#[component]
fn Asked(
    question: &'static str,
    answer: &'static str,
    values: Signal<Option<Values>>,
    asks: Signal<String>,
    expected: Signal<Option<Expected>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let answers = expect_context::<Answers>();
    let is_shown = Memo::new(move |_| {
        let shown = answers.shown.read();
        shown.iter().any(|other| other == question)
    });
    // The browser opens and closes it; here it is told when an address says so.
    let told = move |open: bool| {
        if open != is_shown.get_untracked() {
            answers.show.run((question, open));
        }
    };
    // The question does not wait for numbers.
    let known = Signal::derive(move || Some(values.get().unwrap_or_default()));
    view! {
        <section class="prompt" data-testid="prompt" data-prompt=question>
            <p class="prompt-name">{t!(i18n, chapters.predict)}</p>
            <Prose part=question values=known />
            <Prediction question asks expected is_shown />
            <PredictedByClass question expected />
            <details
                prop:open=move || is_shown.get()
                on:toggle:target=move |event| told(event.target().open())
            >
                <summary>{t!(i18n, chapters.answer)}</summary>
                {move || match values.read().is_some() {
                    true => view! { <Prose part=answer values /> }.into_any(),
                    false => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
                }}
            </details>
        </section>
    }
}

/// The predictions of the class, as counts; nothing where there are none.
#[component]
fn PredictedByClass(question: &'static str, expected: Signal<Option<Expected>>) -> impl IntoView {
    let i18n = use_i18n();
    let predictions = use_context::<ClassPredictions>();
    let counts = Memo::new(move |_| {
        let counts = predictions.map(|ClassPredictions(counts)| counts.run(question));
        counts.unwrap_or_default()
    });
    let item = move |(answer, count): (String, usize)| {
        let answer = move || {
            let names = [t_string!(i18n, kits.yes), t_string!(i18n, kits.no)];
            let expected = expected.read();
            match expected.as_ref() {
                Some(expected) => expected.written(&answer, names),
                None => answer.clone(),
            }
        };
        view! { <li>{answer}" × "{count}</li> }
    };
    view! {
        <Show when=move || !counts.read().is_empty()>
            <div class="prompt-class" data-testid="class-predictions">
                <span class="hint">{t!(i18n, class.predicted)}</span>
                <ul>{move || counts.get().into_iter().map(item).collect_view()}</ul>
            </div>
        </Show>
    }
}

/// The prediction: typed before the answer is shown, and checked with it.
#[component]
fn Prediction(
    question: &'static str,
    asks: Signal<String>,
    expected: Signal<Option<Expected>>,
    is_shown: Memo<bool>,
) -> impl IntoView {
    let i18n = use_i18n();
    let answers = expect_context::<Answers>();
    let given = Memo::new(move |_| {
        let predictions = answers.predictions.read();
        predictions.get(question).cloned().unwrap_or_default()
    });
    let met = move || expected.read().as_ref()?.is_met_by(&given.read());
    // Until there is something to check, the button says so and shows nothing.
    let unread = RwSignal::new(false);
    let check = move || match untrack(met) {
        Some(_) => answers.show.run((question, true)),
        None => unread.set(true),
    };
    let verdict = move || {
        let expected = expected.get()?;
        let is_right = expected.is_met_by(&given.read())?;
        let names = [t_string!(i18n, kits.yes), t_string!(i18n, kits.no)];
        let right = expected.words(names);
        Some(match is_right {
            true => (
                t_string!(i18n, kits.predicted_right, right = right),
                "verdict right",
            ),
            false => (
                t_string!(i18n, kits.predicted_wrong, right = right),
                "verdict wrong",
            ),
        })
    };
    view! {
        <form
            class="prompt-prediction"
            class:is-hidden=move || expected.read().is_none()
            on:submit=move |event| {
                event.prevent_default();
                check();
            }
        >
            <span class="hint">{asks}</span>
            <AnswerField
                name=asks
                expected
                given
                fixed=is_shown
                give=move |prediction| {
                    unread.set(false);
                    answers.predict.run((question, prediction));
                }
            />
            <Show when=move || !is_shown.get()>
                <button type="submit" class="plain-button" data-testid="check-prediction">
                    {t!(i18n, kits.check_prediction)}
                </button>
            </Show>
        </form>
        <p class="prompt-verdict" role="status" data-testid="prediction-verdict">
            {move || match (is_shown.get(), unread.get()) {
                (true, _) => verdict()
                    .map(|(words, class)| view! { <span class=class>{words}</span> })
                    .into_any(),
                (false, true) => t!(i18n, kits.unread_prediction).into_any(),
                _ => ().into_any(),
            }}
        </p>
    }
}
