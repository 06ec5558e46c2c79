//! Evaluation of texts: by their overlap with a reference (BLEU and ROUGE), and by their probability in a model.

mod bleu;
mod chain;
mod factors;
mod grams;
mod kit;
mod orders;
mod pair;
pub mod parameters;
mod prompts;
mod reader;
mod rouge;
mod texts;
mod written;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use leptos::prelude::*;

use self::{
    bleu::{BleuTable, Smoothed},
    chain::ChainRule,
    grams::Grams,
    orders::BothOrders,
    pair::Judged,
    parameters::Judging,
    prompts::{RepeatPrompt, ReversePrompt, SwapPrompt},
    rouge::Rouge,
    texts::Texts,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::View,
    widgets::Prose,
};

impl Define for Judging {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 15;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), judging.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        JudgingChapter().into_any()
    }
}

/// The text and the figures of the chapter about evaluation.
#[component]
pub fn JudgingChapter() -> impl IntoView {
    let judged = Judged::of_view();
    view! {
        <Prose part="intro" />
        <Prose part="texts" />
        <Texts judged />
        <Prose part="clipped" />
        <Grams judged />
        <RepeatPrompt judged />
        <Prose part="bleu" />
        <BleuTable judged />
        <Prose part="smoothed" />
        <Smoothed judged />
        <Prose part="rouge" />
        <Rouge judged />
        <SwapPrompt judged />
        <ReversePrompt judged />
        <Prose part="summaries" />
        <Prose part="chain" />
        <ChainRule />
        <Prose part="perplexity" />
        <Prose part="order" />
        <BothOrders />
    }
}
