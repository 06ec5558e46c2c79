//! Predictions that the chapter asks of its readers.

use crate::recurrent::parameters::RecurrentView;
use attention_trace::window_factor;
use leptos::prelude::*;

use super::context::RecurrentContext;
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{
        Expected, Prompt,
        numbers::{decimal, grouped},
    },
};

/// Asks for the number of values that the decoder gets of a sentence twice as long.
#[component]
pub fn VectorPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let sizes = RecurrentContext::expect().vector_sizes();
    let values = Signal::derive(move || {
        let (tokens, numbers) = sizes.get()?;
        Some(vec![
            ("tokens", tokens.to_string()),
            ("twice", (2 * tokens).to_string()),
            ("numbers", numbers.to_string()),
        ])
    });
    let is_asked = Memo::new(move |_| sizes.get().is_some());
    view! {
        <Show when=move || is_asked.get()>
            <Prompt
                question="ask-vector"
                answer="answer-vector"
                values
                asks=Signal::derive(move || t_string!(i18n, predictions.vector_numbers).to_owned())
                expected=Signal::derive(move || Some(Expected::count(sizes.get()?.1)))
            />
        </Show>
    }
}

/// Asks for the number of weights in the alignment of this sentence.
#[component]
pub fn WeightsPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = RecurrentContext::expect();
    let sizes = Memo::new(move |_| {
        context.place.with(|place| {
            let place = place.as_ref()?;
            Some((place.source.len(), place.written.len())).filter(|&(_, written)| written > 0)
        })
    });
    let values = Signal::derive(move || {
        let (source, written) = sizes.get()?;
        Some(vec![
            ("source", source.to_string()),
            ("written", written.to_string()),
            ("weights", grouped((source * written) as u64)),
        ])
    });
    let expected = Signal::derive(move || {
        let (source, written) = sizes.get()?;
        Some(Expected::count(source * written))
    });
    view! {
        <Prompt
            question="ask-weights"
            answer="answer-weights"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.alignment_weights).to_owned())
            expected
        />
    }
}

/// Asks for the factor of a weight at the end of the window.
#[component]
pub fn EdgePrompt() -> impl IntoView {
    let i18n = use_i18n();
    let reach = ViewState::expect().select(|view| view.chapters.of::<RecurrentView>().window);
    let factor = move || window_factor(reach.get() as f32, reach.get());
    let values = Signal::derive(move || {
        Some(vec![
            ("reach", reach.get().to_string()),
            ("factor", decimal(factor(), 3)),
        ])
    });
    view! {
        <Prompt
            question="ask-edge"
            answer="answer-edge"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.edge_factor).to_owned())
            expected=Signal::derive(move || Some(Expected::about(factor(), 0.05)))
        />
    }
}
