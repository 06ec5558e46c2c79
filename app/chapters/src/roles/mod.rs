//! Roles of heads: a card for the chosen head, and all heads by two of their scores.

mod context;
mod distances;
mod kit;
mod most;
pub mod parameters;
mod points;
pub mod questions;
mod scores;
mod words;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::FindingLink,
    roles::{MeasuredOn, has_published},
    selection::HeadControls,
    state::View,
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    context::RolesContext,
    distances::Distances,
    most::Most,
    parameters::RolesLab,
    points::Points,
    scores::Scores,
    words::{Like, Words},
};

/// The translator's heads that attend to their own position.
const OWN: &str = "model=translator&show=claim&tool=roles&roles=1&roles-of=sentences&role=own";
/// Heads that attend to the word that a person aligned.
const ALIGNED: &str =
    "model=translator&show=claim&tool=roles&roles=1&roles-of=sentences&role=alignment";
/// The sentence model's heads by a score that none has.
const INDUCTION: &str = "tab=learn&chapter=roles&model=sentences&roles-of=sentences&role=induction\
    &roles-across=own&roles-up=induction";

impl Define for RolesLab {
    const NEEDS: Needs = Needs::Attention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), roles.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        RolesChapter().into_any()
    }
}

#[component]
pub fn RolesChapter() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::provide();
    view! {
        <Prose part="intro" />
        <Prose part="score" />
        <div class="position-controls">
            <MeasuredOn has_set=has_published() />
        </div>
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
        <p class="position-controls">
            <FindingLink link=OWN test_id="roles-own">{t!(i18n, roles.open_own)}</FindingLink>
            <FindingLink link=ALIGNED test_id="roles-aligned">
                {t!(i18n, roles.open_aligned)}
            </FindingLink>
            <FindingLink link=INDUCTION test_id="roles-induction">
                {t!(i18n, roles.open_induction)}
            </FindingLink>
        </p>
        <Prose part="measured" />
        <Prose part="limits" />
    }
}
