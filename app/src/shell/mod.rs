//! The frame of the page: header, a lesson's route, input with its result, the open tab, the player.

mod about;
mod address_notice;
mod ask;
mod beginning;
mod chat;
mod class_bar;
mod controls;
mod device;
mod examples;
mod guessed;
mod header;
mod here;
mod input;
mod keys;
mod mask_bar;
mod models;
mod offer;
mod picture;
mod printed_links;
mod problem;
mod progress;
mod provenance;
mod recent;
mod replaced;
mod report;
mod result;
mod search;
mod sentences;
mod server;
mod share;
mod skip;
mod step_bar;
mod tab_panel;
mod tabs;
mod welcome;

use leptos::prelude::*;

pub use self::replaced::watch_deployment;
use self::{
    address_notice::AddressNotice, ask::Ask, class_bar::ClassBar, header::Header,
    mask_bar::MaskBar, models::ModelsSheet, printed_links::PrintedLinks,
    provenance::provide_figure_menu, replaced::Replaced, skip::SkipLinks, step_bar::StepBar,
    tabs::OpenTab, welcome::Welcome,
};
use crate::class::class;
use attention_core::{
    state::ViewState,
    widgets::{FigureSheet, Later, glossary::GlossaryTip},
};

/// The whole visible page.
#[component]
pub fn Shell() -> impl IntoView {
    ModelsSheet::provide();
    provide_figure_menu();
    let has_class = ViewState::expect().select(|view| view.class.is_on());
    view! {
        <SkipLinks />
        <Header />
        <ClassBar />
        <Later load=class when=has_class />
        <main class="page">
            <Replaced />
            <AddressNotice />
            <Welcome />
            <Ask />
            <OpenTab />
            <PrintedLinks />
        </main>
        <StepBar />
        <MaskBar />
        <GlossaryTip />
        <FigureSheet />
    }
}
