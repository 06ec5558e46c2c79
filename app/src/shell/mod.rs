//! The frame of the page: header, input with its result, tabs.

mod controls;
mod device;
mod examples;
mod footer;
mod header;
mod input;
mod models;
mod problem;
mod progress;
mod replaced;
mod result;
mod search;
mod tab_panel;
mod tabs;

use leptos::prelude::*;

pub use self::replaced::watch_deployment;
use self::{
    examples::Examples, footer::Footer, header::Header, input::Input, progress::Progress,
    replaced::Replaced, result::ResultPanel, tabs::Tabs,
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
                <Examples />
                <div class="answer">
                    <Progress />
                    <ResultPanel />
                </div>
            </section>
            <Tabs />
        </main>
        <Footer />
    }
}
