//! Self-attention by hand: the lecture's small matrices, every cell of them to be changed, and then whom "she"
//! attends to in a sentence that a model reads, and where a question's words look in a text.

mod answers;
mod both;
mod context;
mod divisor;
mod editors;
mod kit;
pub mod parameters;
mod project;
mod question;
mod questions;
mod sentences;
mod steps;
mod whom;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use leptos::prelude::*;

use self::{
    context::HandContext, editors::Editors, parameters::Hand, project::Projections,
    question::Question, steps::LargestPrompt, whom::Whom,
};
use super::follow::Stages;
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::LessonNotice,
    state::View,
    widgets::Prose,
};

impl Define for Hand {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 12;

    fn topic(_view: &View) -> Topic {
        Topic::Reading
    }

    fn title() -> String {
        t_string!(use_i18n(), hand.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        HandChapter().into_any()
    }
}

#[component]
pub fn HandChapter() -> impl IntoView {
    let context = HandContext::provide();
    view! {
        <Prose part="intro" />
        <Editors />
        <LessonNotice asked=context.steps />
        <Prose part="project" />
        <Projections />
        <LargestPrompt />
        <Prose part="steps" />
        <Stages
            stages=Signal::derive(|| steps::PARTS.to_vec())
            values=Signal::derive(|| Some(Vec::new()))
            picture=steps::picture
        />
        <Prose part="roles" />
        <Whom />
        <Question />
    }
}
