//! Predictions that the chapter asks of its readers.

use attention_trace::{AttentionKind, lessons::Mark};
use leptos::prelude::*;

use super::{
    context::{EmbeddingContext, likeliest},
    mark_name,
    reading::shown_rows,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    widgets::{
        Expected, Prompt,
        numbers::{percent, share_of_one},
    },
};

/// Asks for the weight that a causal head's first token gives to itself.
#[component]
pub fn FirstWordPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let rows = shown_rows();
    let is_causal = Memo::new(move |_| {
        let kind = context.with(|place| place.head.attention.kind);
        kind == Some(AttentionKind::DecoderSelf)
    });
    let weight = Memo::new(move |_| {
        is_causal.get().then_some(())?;
        rows.with(|rows| rows.as_ref()?.first()?.first().copied())
    });
    let values = Signal::derive(move || {
        let token = context.names().first().cloned()?;
        Some(vec![
            ("token", token),
            ("weight", share_of_one(weight.get()?, 3)),
        ])
    });
    let expected = Signal::derive(move || Some(Expected::about(weight.get()?, 0.0)));
    view! {
        <Show when=move || is_causal.get()>
            <Prompt
                question="ask-first"
                answer="answer-first"
                values
                asks=Signal::derive(move || t_string!(i18n, embedding.ask_first).to_owned())
                expected
            />
        </Show>
    }
}

/// Asks for the mark that the model predicts.
#[component]
pub fn MarkPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let named = Memo::new(move |_| {
        context.seen.answer.with(|seen| {
            let probabilities = &seen.as_ref()?.probabilities;
            let mark = likeliest(probabilities)?;
            Some((mark, probabilities[mark.place()]))
        })
    });
    let words = Memo::new(move |_| {
        context.seen.answer.with(|seen| {
            let words = seen.as_ref()?.words.iter().map(|word| word.text.as_str());
            Some(words.collect::<Vec<_>>().join(" "))
        })
    });
    let values = Signal::derive(move || {
        let (mark, share) = named.get()?;
        Some(vec![
            ("words", words.get()?),
            ("mark", mark_name(i18n, mark)),
            ("share", percent(share, 1)),
        ])
    });
    let expected = Signal::derive(move || {
        Some(Expected::OneOf {
            options: Mark::ALL.map(|mark| mark_name(i18n, mark)).to_vec(),
            right: vec![named.get()?.0.place()],
        })
    });
    view! {
        <Prompt
            question="ask-mark"
            answer="answer-mark"
            values
            asks=Signal::derive(move || t_string!(i18n, embedding.ask_mark).to_owned())
            expected
        />
    }
}

/// Asks for the penalty if all hops attend to one word.
#[component]
pub fn PenaltyPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let hops = Memo::new(move |_| {
        context
            .seen
            .answer
            .with(|seen| seen.as_ref()?.weights.shape.first().copied())
    });
    let values = Signal::derive(move || {
        let hops = hops.get()?;
        Some(vec![
            ("hops", hops.to_string()),
            ("others", (hops - 1).to_string()),
            ("penalty", (hops * (hops - 1)).to_string()),
        ])
    });
    let expected = Signal::derive(move || {
        let hops = hops.get()?;
        Some(Expected::count(hops * (hops - 1)))
    });
    view! {
        <Prompt
            question="ask-penalty"
            answer="answer-penalty"
            values
            asks=Signal::derive(move || t_string!(i18n, embedding.ask_penalty).to_owned())
            expected
        />
    }
}
