//! Self-attention over the positions of a picture (SAGAN), on handwritten digits.

mod choice;
mod context;
mod field;
mod kit;
mod looks;
pub mod parameters;
mod prompts;
pub mod questions;
mod samples;
mod stroke;
mod verdict;
mod writer;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use attention_trace::lessons::Picture;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use self::{
    choice::PictureChoice,
    context::ImageContext,
    looks::Looks,
    parameters::ImageLab,
    prompts::{CountPrompt, NearPrompt, WithoutPrompt},
    verdict::Verdict,
    writer::WriterFigure,
};
use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    state::View,
    widgets::Prose,
};

impl Define for ImageLab {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 10;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), image.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        ImageChapter().into_any()
    }
}

/// The text and the figures of the chapter about pictures.
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
        <Prose part="written" />
        <WriterFigure />
        <Prose part="written-scores" />
    }
}

/// Returns the name of a position: its row and column, from 1.
fn place_name(i18n: I18nContext<Locale>, cell: usize) -> String {
    let (row, column) = (cell / Picture::SIDE + 1, cell % Picture::SIDE + 1);
    t_string!(i18n, image.place, row = row, column = column).to_owned()
}
