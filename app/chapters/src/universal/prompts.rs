//! Predictions that the chapter asks of its readers.

use crate::universal::parameters::UniversalView;
use attention_trace::{Ponder, Stack};
use leptos::prelude::*;

use super::{
    context::UniversalContext,
    effect::{own_log_p, shallow_log_p},
};
use attention_core::{
    depths::UsedBy,
    i18n::{t_string, use_i18n},
    names::token_name,
    state::ViewState,
    widgets::{
        Expected, Prompt,
        numbers::{decimal, share_of_one},
    },
};

/// Asks for the cost of the example by hand.
#[component]
pub fn CostPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let view = ViewState::expect().select(|view| *view.chapters.of::<UniversalView>());
    let ponder = Memo::new(move |_| {
        let view = view.get();
        Ponder::of(&view.probabilities(), view.hand_halting())
    });
    let values = Signal::derive(move || {
        let written = |numbers: &[f32]| {
            let numbers: Vec<_> = numbers.iter().map(|&p| share_of_one(p, 2)).collect();
            numbers.join(", ")
        };
        let ponder = ponder.get();
        Some(vec![
            ("probabilities", written(&view.get().probabilities())),
            ("epsilon", decimal(view.get().hand_halting().epsilon, 2)),
            ("depth", ponder.depth.to_string()),
            ("remainder", share_of_one(ponder.remainder, 2)),
            ("cost", decimal(ponder.cost(), 2)),
        ])
    });
    view! {
        <Prompt
            question="ask-cost"
            answer="answer-cost"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.ponder_cost).to_owned())
            expected=Signal::derive(move || Some(Expected::about(ponder.get().cost(), 0.0)))
        />
    }
}

/// Returns the places of the tokens that used the most depths, and the number of these depths; `None` if all used
/// equally many.
fn deepest(used: &[UsedBy]) -> Option<(Vec<usize>, usize)> {
    let depths = || used.iter().map(|it| it.ponder.depth);
    let (most, least) = (depths().max()?, depths().min()?);
    let places = depths().enumerate().filter(|&(_, depth)| depth == most);
    (most > least).then(|| (places.map(|(place, _)| place).collect(), most))
}

/// Asks for the source token with the most passes.
#[component]
pub fn DeepestPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let used = UniversalContext::expect().used(Stack::Encoder);
    let name = token_name();
    let names = Memo::new(move |_| {
        used.with(|used| {
            let used = used.as_deref().unwrap_or_default();
            used.iter().map(|it| name(&it.token)).collect::<Vec<_>>()
        })
    });
    let found = Memo::new(move |_| used.with(|used| deepest(used.as_deref()?)));
    let expected = Signal::derive(move || {
        let (right, _) = found.get()?;
        let options = names.get();
        Some(Expected::OneOf { options, right })
    });
    let values = Signal::derive(move || {
        used.with(|used| {
            let used = used.as_deref()?;
            let depths = used.iter().map(|it| it.ponder.depth);
            let called = match found.get() {
                Some((places, _)) => {
                    let names = names.get();
                    let named = places.iter().filter_map(|&place| names.get(place).cloned());
                    named.collect::<Vec<_>>().join(", ")
                }
                None => t_string!(i18n, universal.all_tokens).to_owned(),
            };
            Some(vec![
                ("tokens", called),
                ("most", depths.clone().max()?.to_string()),
                ("least", depths.min()?.to_string()),
            ])
        })
    });
    view! {
        <Prompt
            question="ask-deepest"
            answer="answer-deepest"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.deepest).to_owned())
            expected
        />
    }
}

/// Asks whether the text is less probable if every position stops after the first depth.
#[component]
pub fn ShallowPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = UniversalContext::expect();
    let (own, shallow) = (own_log_p(context), shallow_log_p(context));
    let sums = Memo::new(move |_| {
        let sum = |numbers: Option<Vec<f32>>| Some(numbers?.iter().sum::<f32>());
        Some((sum(own.get())?, sum(shallow.get())?))
    });
    let values = Signal::derive(move || {
        let (own, shallow) = sums.get()?;
        Some(vec![
            ("own", decimal(own, 2)),
            ("shallow", decimal(shallow, 2)),
        ])
    });
    view! {
        <Prompt
            question="ask-shallow"
            answer="answer-shallow"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.shallow).to_owned())
            expected=Signal::derive(move || {
                let (own, shallow) = sums.get()?;
                Some(Expected::Truth(shallow < own))
            })
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Halting, Token};

    use super::*;

    fn used(probabilities: &[f32]) -> UsedBy {
        let halting = Halting {
            epsilon: 0.01,
            ponder_cost: 0.0,
        };
        UsedBy {
            token: Token {
                id: 1,
                text: "a".into(),
                unknown: false,
            },
            probabilities: probabilities.to_vec(),
            ponder: Ponder::of(probabilities, halting),
        }
    }

    #[test]
    fn the_deepest_are_all_that_used_the_most() {
        let (one, two) = (used(&[1.0, 0.5]), used(&[0.5, 0.25]));
        let tokens = [one.clone(), two.clone(), two.clone()];
        assert_eq!(deepest(&tokens), Some((vec![1, 2], 2)));
        assert_eq!(deepest(&[one.clone(), one]), None);
        assert_eq!(deepest(&[]), None);
    }
}
