//! Attention over a picture: every position looks at all the others (SAGAN), on handwritten digits.

mod choice;
mod context;
mod field;
mod looks;
mod prompts;
mod samples;
mod stroke;
mod verdict;

use attention_trace::lessons::Picture;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use self::{
    choice::PictureChoice,
    context::ImageContext,
    looks::Looks,
    prompts::{CountPrompt, NearPrompt, WithoutPrompt},
    verdict::Verdict,
};
use attention_core::{
    i18n::{Locale, t_string},
    widgets::Prose,
};

/// The chapter.
#[component]
pub fn ImageChapter() -> impl IntoView {
    ImageContext::provide();
    view! {
        <Prose part="intro" />
        <CountPrompt />
        <Prose part="picture" />
        <PictureChoice />
        <Prose part="looks" />
        <NearPrompt />
        <Looks />
        <Prose part="verdict" />
        <WithoutPrompt />
        <Verdict />
        <Prose part="scores" />
    }
}

/// What a position is called: its row and column, from 1.
fn place_name(i18n: I18nContext<Locale>, cell: usize) -> String {
    let (row, column) = (cell / Picture::SIDE + 1, cell % Picture::SIDE + 1);
    t_string!(i18n, image.place, row = row, column = column).to_owned()
}
