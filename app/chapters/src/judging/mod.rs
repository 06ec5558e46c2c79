//! How a text is judged: by what it has in common with a reference, and by how probable a model finds it.

mod bleu;
mod chain;
mod factors;
mod grams;
mod orders;
mod pair;
mod prompts;
mod reader;
mod rouge;
mod texts;
mod written;

use leptos::prelude::*;

use self::{
    bleu::{BleuTable, Smoothed},
    chain::ChainRule,
    grams::Grams,
    orders::BothOrders,
    pair::Judged,
    prompts::{RepeatPrompt, ReversePrompt, SwapPrompt},
    rouge::Rouge,
    texts::Texts,
};
use attention_core::widgets::Prose;

/// The chapter.
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
