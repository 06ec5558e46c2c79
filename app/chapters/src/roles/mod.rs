//! What heads do: a card for the chosen head, and all heads by two of their scores.

mod context;
mod distances;
mod most;
mod points;
mod scores;
mod words;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::HeadControls,
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    context::RolesContext,
    distances::Distances,
    most::Most,
    points::Points,
    scores::Scores,
    words::{Like, Words},
};

/// The chapter.
#[component]
pub fn RolesChapter() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::provide();
    view! {
        <Prose part="intro" />
        <Prose part="score" />
        <HeadControls chosen=context.chosen />
        <section
            class="lesson-figure"
            data-testid="head-card"
            aria-label=move || t_string!(i18n, roles.card)
        >
            <Scores />
            <Most />
            <Distances />
            <Words />
            <Like />
        </section>
        <Prose part="points" />
        <Points />
        <Prose part="measured" />
        <Prose part="limits" />
    }
}
