//! Self-attention by hand: the lecture's small matrices, every cell of them to be changed, and then whom "she"
//! attends to in a sentence that a model reads, and where a question's words look in a text.

mod answers;
mod both;
mod context;
mod divisor;
mod editors;
mod project;
mod question;
mod sentences;
mod steps;
mod whom;

use leptos::prelude::*;

use self::{
    context::HandContext, editors::Editors, project::Projections, question::Question,
    steps::LargestPrompt, whom::Whom,
};
use super::follow::Stages;
use attention_core::{lessons::LessonNotice, widgets::Prose};

/// The chapter.
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
