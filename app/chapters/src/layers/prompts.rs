//! Predictions that the chapter asks of its readers.

use attention_trace::layers::{Convolutions, SequenceLayer};
use leptos::prelude::*;

use crate::layers::parameters::LayersLab;

use super::{
    stacks::{most_ticks, stack_of},
    words::lab,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    widgets::{
        Expected, Prompt,
        numbers::{grouped, share_of_one},
    },
};

/// Returns the number of steps that the recurrent stack takes if it reads in one direction.
fn one_way_ticks(lab: &LayersLab) -> usize {
    let one_way = LayersLab {
        bidirectional: false,
        ..*lab
    };
    most_ticks(&one_way)
}

/// Asks for the number of steps that the recurrent stack takes.
#[component]
pub fn StepsPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    let values = Signal::derive(move || {
        lab.with(|lab| {
            Some(vec![
                ("n", lab.tokens.to_string()),
                ("layers", lab.layers.to_string()),
                ("further", (lab.layers - 1).to_string()),
                ("steps", one_way_ticks(lab).to_string()),
                ("both", (lab.layers * lab.tokens).to_string()),
            ])
        })
    });
    let expected = Signal::derive(move || Some(Expected::count(lab.with(one_way_ticks))));
    view! {
        <Prompt
            question="ask-steps"
            answer="answer-steps"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.steps).to_owned())
            expected
        />
    }
}

/// Asks for the number of convolution layers after which the last output sees the first token.
#[component]
pub fn ReachPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    let needed = move |dilated: bool| {
        lab.with(|lab| {
            let convolutions = Convolutions {
                dilated,
                ..lab.convolutions()
            };
            SequenceLayer::Convolution.longest_path(lab.tokens as u64, convolutions)
        })
    };
    let values = Signal::derive(move || {
        let (contiguous, dilated) = (needed(false)?, needed(true)?);
        lab.with(|lab| {
            let stack = stack_of(lab, SequenceLayer::Convolution);
            Some(vec![
                ("n", lab.tokens.to_string()),
                ("k", lab.kernel.to_string()),
                ("layers", lab.layers.to_string()),
                ("field", stack.field(lab.tokens - 1).to_string()),
                ("contiguous", contiguous.to_string()),
                ("dilated", dilated.to_string()),
            ])
        })
    });
    let expected = Signal::derive(move || Some(Expected::count(needed(false)? as usize)));
    view! {
        <Prompt
            question="ask-reach"
            answer="answer-reach"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.layers).to_owned())
            expected
        />
    }
}

/// Asks for the number of tokens at which the pairs cost as much as the projections.
#[component]
pub fn CrossingPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    // 2n²d = 4nd².
    let crossing = move || 2 * lab.with(|lab| lab.counted_width);
    let values = Signal::derive(move || {
        let parts = lab.with(|lab| SequenceLayer::SelfAttention.operations(lab.counted()));
        Some(vec![
            ("d", grouped(lab.with(|lab| lab.counted_width))),
            ("n", grouped(lab.with(|lab| lab.counted_tokens))),
            ("crossing", grouped(crossing())),
            ("pairs", grouped(parts.by_pair)),
            ("projections", grouped(parts.by_token)),
        ])
    });
    let expected = Signal::derive(move || Some(Expected::count(crossing() as usize)));
    view! {
        <Prompt
            question="ask-crossing"
            answer="answer-crossing"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.crossover).to_owned())
            expected
        />
    }
}

/// Asks for the weight of each token if all scores are equal.
#[component]
pub fn EvenPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let count = Memo::new(move |_| context.names().len());
    let values = Signal::derive(move || {
        let n = count.get();
        (n > 0).then(|| {
            vec![
                ("n", n.to_string()),
                ("weight", share_of_one(1.0 / n as f32, 3)),
            ]
        })
    });
    let expected = Signal::derive(move || {
        let n = count.get();
        (n > 0).then(|| Expected::about(1.0 / n as f32, 0.02))
    });
    view! {
        <Prompt
            question="ask-even"
            answer="answer-even"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.even).to_owned())
            expected
        />
    }
}
