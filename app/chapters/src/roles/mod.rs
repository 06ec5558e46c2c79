//! What heads do: a card for the chosen head, all heads by two of their scores, and what was found in the shipped models.

mod context;
mod distances;
mod findings;
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
    findings::Findings,
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
        <Prose part="found" />
        <Findings />
        <Prose part="measured" />
        <Prose part="limits" />
    }
}
