//! Reading and embedding a sentence before the Transformer: word by word with the words before shaded by attention, as
//! Cheng et al. drew it, and several hops of attention that make a sentence a matrix, as Lin et al. have it.

mod architecture;
mod context;
mod form;
mod hops;
mod kit;
mod lines;
mod overlap;
pub mod parameters;
mod prompts;
pub mod questions;
mod reading;
mod sentence;
mod tapes;
mod verdict;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use attention_trace::lessons::Mark;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use self::{
    architecture::Architecture,
    context::EmbeddingContext,
    hops::HopsFigure,
    overlap::OverlapFigure,
    parameters::EmbeddingLab,
    prompts::{FirstWordPrompt, MarkPrompt, PenaltyPrompt},
    reading::ReadingFigure,
    sentence::SentenceForm,
    tapes::TapesFigure,
    verdict::Verdict,
};
use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    selection::{Kinds, SelfAttention},
    state::View,
    widgets::Prose,
};

impl Define for EmbeddingLab {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 12;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), embedding.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        EmbeddingChapter().into_any()
    }
}

#[component]
pub fn EmbeddingChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::Reading);
    EmbeddingContext::provide();
    view! {
        <Prose part="intro" />
        <TapesFigure />
        <Prose part="transformer" />
        <ReadingFigure />
        <FirstWordPrompt />
        <Prose part="embedding" />
        <MarkPrompt />
        <SentenceForm />
        <Prose part="architecture" />
        <Architecture />
        <Prose part="hops" />
        <HopsFigure />
        <Verdict />
        <Prose part="penalty" />
        <PenaltyPrompt />
        <OverlapFigure />
        <Prose part="scores" />
    }
}

/// Returns the name of a hop, counted from 1.
fn hop_name(i18n: I18nContext<Locale>, hop: usize) -> String {
    t_string!(i18n, embedding.hop, number = hop + 1).to_owned()
}

fn mark_name(i18n: I18nContext<Locale>, mark: Mark) -> String {
    let name = match mark {
        Mark::Period => t_string!(i18n, embedding.period),
        Mark::Question => t_string!(i18n, embedding.question),
        Mark::Exclamation => t_string!(i18n, embedding.exclamation),
    };
    name.to_owned()
}
