//! The frame of the page: header, input with its result, the open tab, the player.

mod about;
mod controls;
mod device;
mod examples;
mod header;
mod input;
mod models;
mod offer;
mod problem;
mod progress;
mod replaced;
mod result;
mod search;
mod sentences;
mod share;
mod step_bar;
mod tab_panel;
mod tabs;

use leptos::prelude::*;

pub use self::replaced::watch_deployment;
use self::{
    header::Header, input::Input, offer::Offer, progress::Progress, replaced::Replaced,
    result::ResultPanel, sentences::Sentences, step_bar::StepBar, tabs::OpenTab,
};

/// Everything that is seen.
#[component]
pub fn Shell() -> impl IntoView {
    view! {
        <Header />
        <main class="page">
            <Replaced />
            <section class="ask">
                <Input />
                <ResultPanel />
                <Progress />
                <Offer />
                <Sentences />
            </section>
            <OpenTab />
        </main>
        <StepBar />
    }
}
