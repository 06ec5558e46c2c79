//! The five steps of self-attention for one word.

mod normalise;
mod read;
mod used;

use leptos::prelude::*;

use self::{
    normalise::{Normalise, Score},
    read::{Sum, Weigh},
    used::Used,
};
use super::context::{HandContext, Of};
use crate::follow::{Derivation, Operation, explained};
use attention_core::widgets::{Prompt, Values, numbers::share_of_one};

/// The steps, by the parts of the text that explain them.
pub const PARTS: [&str; 5] = ["score", "normalise", "weigh", "sum", "use"];

/// The picture of the step that a part explains.
pub fn picture(part: &'static str) -> AnyView {
    match part {
        "score" => view! { <Score /> }.into_any(),
        "normalise" => view! { <Normalise /> }.into_any(),
        "weigh" => view! { <Weigh /> }.into_any(),
        "sum" => view! { <Sum /> }.into_any(),
        "use" => view! { <Used /> }.into_any(),
        _ => ().into_any(),
    }
}

/// The name of a component, counted from 1 as in the formulas.
fn dimension(index: usize) -> String {
    format!("c = {}", index + 1)
}

/// Describes the numbers of the word that asks, which were made elsewhere.
fn given_of_query(context: HandContext, of: Of) -> Callback<(usize, usize), AnyView> {
    explained(move |_, column| {
        Some(Derivation {
            place: vec![context.query_word()?, dimension(column)],
            value: *context.query_row(of)?.get(column)?,
            operation: Operation::Given,
        })
    })
}

/// Describes the numbers of every word, which were made elsewhere.
fn given_by_word(context: HandContext, of: Of) -> Callback<(usize, usize), AnyView> {
    explained(move |word, column| {
        Some(Derivation {
            place: vec![context.word(word)?, dimension(column)],
            value: *context.row(of, word)?.get(column)?,
            operation: Operation::Given,
        })
    })
}

/// The question which word gets the most.
#[component]
pub fn LargestPrompt() -> impl IntoView {
    let context = HandContext::expect();
    let values = Signal::derive(move || -> Option<Values> {
        let weights = context.query_row(|steps| &steps.weights)?;
        let (most, weight) = largest(&weights)?;
        Some(vec![
            ("word", context.query_word()?),
            ("own", share_of_one(*weights.get(context.query())?, 4)),
            ("most", context.word(most)?),
            ("weight", share_of_one(weight, 4)),
        ])
    });
    view! { <Prompt question="ask-largest" answer="answer-largest" values /> }
}

fn largest(weights: &[f32]) -> Option<(usize, f32)> {
    let weights = weights.iter().copied().enumerate();
    weights.max_by(|one, other| one.1.total_cmp(&other.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_explained_in_both_languages() {
        const TEXTS: [&str; 2] = [include_str!("en/text.md"), include_str!("zh/text.md")];
        for part in PARTS {
            let named = format!("{{#{part}}}");
            assert!(TEXTS.iter().all(|text| text.contains(&named)), "{part}");
        }
    }

    #[test]
    fn the_largest_weight_is_found() {
        assert_eq!(largest(&[0.25, 0.5, 0.25]), Some((1, 0.5)));
        assert_eq!(largest(&[]), None);
    }
}
