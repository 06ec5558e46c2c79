//! Teacher forcing on the visitor's own pair, beside what the model writes by itself.

mod form;
mod kit;
pub mod parameters;
mod reading;
mod table;

use crate::{forcing::parameters::Forcing, kit::Kit, needs::Needs, page::Define, topic::Topic};
use attention_trace::Step;
use leptos::prelude::*;

pub use self::reading::ReadToken;
use self::{
    form::TargetForm,
    reading::Totals,
    table::{DECIMALS, TokenTable},
};
use attention_core::{
    engine::{Engine, Forced, ForcedTarget, Job, Live},
    i18n::{t, t_string, use_i18n},
    problems::{failure_words, is_of_empty_text},
    selection::WhenLive,
    state::{View, ViewState},
    widgets::{Prompt, Prose, numbers::decimal},
};

impl Define for Forcing {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 5;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), forcing.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        ForcingChapter().into_any()
    }
}

#[component]
pub fn ForcingChapter() -> impl IntoView {
    view! {
        <Prose part="intro" />
        <Prose part="pair" />
        <WhenLive>
            <Readings />
        </WhenLive>
        <Prose part="one-pass" />
    }
}

/// The result on screen: what was asked, what the model wrote, and its tokens.
#[derive(Clone, PartialEq)]
struct Own {
    job: Job,
    text: String,
    tokens: Vec<ReadToken>,
    /// True if the beginning of the text was forced.
    is_forced: bool,
}

fn own(engine: &Engine) -> Option<Own> {
    let shown = engine.shown.as_ref()?;
    let decoding = shown.trace.decoding.as_ref()?;
    Some(Own {
        job: shown.job.clone()?,
        text: decoding.hypotheses.first()?.text.clone(),
        tokens: decoding.steps.iter().map(ReadToken::from).collect(),
        is_forced: decoding.steps.iter().any(|step: &Step| step.forced),
    })
}

/// The given text and the model's own, side by side.
#[component]
fn Readings() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let own = live.select(own);
    let own_text = Memo::new(move |_| own.with(|own| Some(own.as_ref()?.text.clone())));
    let target = state.select(|view| view.chapters.of::<Forcing>().target.clone());
    // Of a text that had ended: then there is nothing to read until the visitor types something.
    let wrote_nothing = Memo::new(move |_| {
        let is_own = target.with(Option::is_none);
        is_own && own_text.with(|text| text.as_ref().is_some_and(|text| text.is_empty()))
    });
    let forced = live.forced(move || {
        let given = |own: Own| ForcedTarget {
            target: target.get().unwrap_or(own.text),
            job: Job {
                prefix: Vec::new(),
                ..own.job
            },
        };
        let is_empty = wrote_nothing.get();
        own.get()
            .filter(|_| !is_empty)
            .map(given)
            .into_iter()
            .collect()
    });
    let answer = Memo::new(move |_| forced.get().pop().flatten());
    let given = Memo::new(move |_| tokens_of(answer.get()));
    let written = Memo::new(move |_| own.get().map_or_else(Vec::new, |own| own.tokens));
    let is_forced = move || own.with(|own| own.as_ref().is_some_and(|own| own.is_forced));
    view! {
        <section class="lesson-figure" data-testid="forcing">
            <TargetForm own=own_text />
            <Show
                when=move || wrote_nothing.get()
                fallback=move || view! { <Refusal answer /> }
            >
                <p class="hint" role="status" data-testid="wrote-nothing">{t!(i18n, forcing.wrote_nothing)}</p>
            </Show>
            <div class="side-by-side">
                <TokenTable
                    name=Signal::derive(move || t_string!(i18n, forcing.given).to_owned())
                    test_id="given"
                    text=given
                />
                <TokenTable
                    name=Signal::derive(move || t_string!(i18n, forcing.written).to_owned())
                    test_id="written"
                    text=written
                />
            </div>
            <Unknown given />
            <Show when=is_forced>
                <p class="hint">{t!(i18n, shell.forced)}</p>
            </Show>
            <Comparison given written />
        </section>
        <LikelihoodPrompt given written />
    }
}

/// The tokens of an answer; none where there is no answer or the model refused.
pub fn tokens_of(answer: Option<Forced>) -> Vec<ReadToken> {
    match answer {
        Some(Ok(read)) => read.iter().map(ReadToken::from).collect(),
        // `Refusal` shows the failure.
        Some(Err(_)) | None => Vec::new(),
    }
}

/// The reason why the model does not read the target, or a note that it is about to.
#[component]
pub fn Refusal(answer: Memo<Option<Forced>>) -> impl IntoView {
    let i18n = use_i18n();
    move || match answer.get() {
        Some(Ok(_)) => None,
        None => Some(view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any()),
        Some(Err(failure)) if is_of_empty_text(&failure) => Some(
            view! {
                <p class="hint" role="status" data-testid="target-refused">
                    {move || failure_words(i18n, &failure)}
                </p>
            }
            .into_any(),
        ),
        Some(Err(failure)) => Some(
            view! {
                <p class="notice problem" role="alert" data-testid="target-refused">
                    {move || failure_words(i18n, &failure)}
                </p>
            }
            .into_any(),
        ),
    }
}

/// Characters of the given text that the model has no token for.
#[component]
pub fn Unknown(given: Memo<Vec<ReadToken>>) -> impl IntoView {
    let i18n = use_i18n();
    let characters = Memo::new(move |_| {
        given.with(|given| {
            let unknown = given.iter().filter(|read| read.token.unknown);
            let unknown: Vec<&str> = unknown.map(|read| read.token.text.as_str()).collect();
            (!unknown.is_empty()).then(|| unknown.join(" "))
        })
    });
    move || {
        characters.get().map(|characters| {
            view! {
                <p class="notice" data-testid="target-unknown">
                    {move || t_string!(i18n, forcing.unknown, characters = characters.clone())}
                </p>
            }
        })
    }
}

/// Returns the difference of the log-likelihoods in nats, the given text's minus that of the model's own; `None` if
/// both have the same tokens.
fn difference(given: &[ReadToken], written: &[ReadToken]) -> Option<f32> {
    let ids = |text: &[ReadToken]| text.iter().map(|read| read.token.id).collect::<Vec<_>>();
    let is_same = ids(given) == ids(written);
    let difference = Totals::of(given)?.log_likelihood - Totals::of(written)?.log_likelihood;
    (!is_same).then_some(difference)
}

/// A sentence that names the more probable of the two texts.
#[component]
fn Comparison(given: Memo<Vec<ReadToken>>, written: Memo<Vec<ReadToken>>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let (given, written) = (given.get(), written.get());
        if given.is_empty() || written.is_empty() {
            return String::new();
        }
        match difference(&given, &written) {
            None => t_string!(i18n, forcing.same).to_owned(),
            Some(nats) if nats > 0.0 => {
                t_string!(i18n, forcing.given_wins, nats = decimal(nats, DECIMALS))
            }
            Some(nats) => t_string!(
                i18n,
                forcing.written_wins,
                nats = decimal(0.0 - nats, DECIMALS)
            ),
        }
    };
    view! { <p class="lesson-reading number" role="status" data-testid="forced-or-free">{words}</p> }
}

/// Asks whether a text can be more probable than the one that the model writes.
#[component]
fn LikelihoodPrompt(given: Memo<Vec<ReadToken>>, written: Memo<Vec<ReadToken>>) -> impl IntoView {
    let values = Signal::derive(move || {
        let total = |text: Memo<Vec<ReadToken>>| {
            let totals = text.with(|text| Totals::of(text))?;
            Some(decimal(totals.log_likelihood, DECIMALS))
        };
        Some(vec![("given", total(given)?), ("written", total(written)?)])
    });
    view! { <Prompt question="ask-search" answer="answer-search" values /> }
}

#[cfg(test)]
mod tests {
    use attention_trace::Token;

    use super::*;

    fn text(tokens: &[(u32, f32)]) -> Vec<ReadToken> {
        let read = |&(id, log_probability): &(u32, f32)| ReadToken {
            token: Token {
                id,
                text: id.to_string(),
                unknown: false,
            },
            log_probability,
            rank: Some(1),
            best: None,
        };
        tokens.iter().map(read).collect()
    }

    #[test]
    fn texts_are_compared_by_their_log_likelihood() {
        let written = text(&[(1, -0.5), (2, -0.5)]);
        assert_eq!(
            difference(&text(&[(1, -0.5), (3, -2.5)]), &written),
            Some(-2.0)
        );
        assert_eq!(difference(&text(&[(4, -0.25)]), &written), Some(0.75));
        assert_eq!(difference(&written, &written), None);
        assert_eq!(difference(&[], &written), None);
    }
}
