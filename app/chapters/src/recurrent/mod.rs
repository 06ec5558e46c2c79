//! Recurrent encoder–decoders: one vector between them, or attention to all states of the encoder, Bahdanau's and
//! Luong's; and the effect on sentences of every length.

mod alignment;
mod context;
mod kit;
mod lecture;
mod lengths;
mod local;
mod localised;
pub mod parameters;
mod passage;
mod prompts;
pub mod questions;
mod row;
mod scores;
mod vector;
mod written;

use crate::{
    kit::Kit,
    needs::{Lacking, Needs, has_what_is_needed},
    page::Define,
    topic::Topic,
    training::parameters::{Lesson, Training},
};
use leptos::prelude::*;

use self::{
    alignment::AlignmentFigure,
    context::RecurrentContext,
    lecture::LectureExample,
    lengths::{LengthPrompt, Lengths},
    local::LocalWindow,
    localised::LocalisedRow,
    parameters::RecurrentView,
    passage::Passage,
    prompts::{EdgePrompt, VectorPrompt, WeightsPrompt},
    row::{RowFigure, ScoreFunction},
    scores::fetch_scores,
    vector::OneVector,
    written::{ModelOfChapter, Written},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::View,
    widgets::Prose,
};

/// A link to the chapter that trains such a model.
#[component]
fn TrainOne() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink change=train_one class="own-sentence" test_id="train-recurrent">
            {t!(i18n, recurrent.train)}
        </ViewLink>
    }
}

fn train_one(view: &mut View) {
    let [recurrent, _] = Lesson::Recurrence.settings();
    view.chapters.of_mut::<Training>().settings = recurrent;
    view.open_chapter::<Training>();
}

impl Define for RecurrentView {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 17;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), recurrent.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        RecurrentChapter().into_any()
    }
}

#[component]
pub fn RecurrentChapter() -> impl IntoView {
    RecurrentContext::provide();
    let scores = fetch_scores();
    let has_attention = has_what_is_needed(Needs::Attention);
    view! {
        <Prose part="intro" />
        <ModelOfChapter />
        <Prose part="vector" />
        <OneVector />
        <VectorPrompt />
        <Prose part="written" />
        <Passage />
        <Written scores />
        <Prose part="alignment" />
        <Show
            when=move || has_attention.get()
            fallback=|| view! { <Lacking needs=Needs::Attention /> }
        >
            <AlignmentFigure />
            <WeightsPrompt />
        </Show>
        <Prose part="lecture" />
        <LectureExample />
        <Show when=move || has_attention.get()>
            <Prose part="functions" />
            <ScoreFunction />
            <RowFigure />
        </Show>
        <Prose part="local" />
        <LocalWindow />
        <EdgePrompt />
        <Show when=move || has_attention.get()>
            <Prose part="localised" />
            <LocalisedRow />
        </Show>
        <Prose part="lengths" />
        <Lengths scores />
        <LengthPrompt scores />
        <Prose part="train" />
        <TrainOne />
    }
}
