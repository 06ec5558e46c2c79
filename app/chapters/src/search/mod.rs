//! Choosing the next word: greedy, exhaustive, beam and sampling, on the lecture's table and on the page's own model.

mod alpha;
mod beams;
mod context;
mod counted;
mod drawn;
mod greedy;
mod kit;
mod listed;
mod live;
pub mod parameters;
mod prompts;
pub mod questions;
mod results;
mod table;
mod tree;

pub use self::context::{NAMES, written};

use crate::{
    kit::Kit,
    needs::Needs,
    page::Define,
    search::parameters::{Method, SearchLab},
    topic::Topic,
};
use leptos::prelude::*;

use self::{
    alpha::AlphaOfTable,
    beams::BeamView,
    context::SearchContext,
    counted::Counted,
    drawn::DrawnView,
    greedy::GreedyView,
    listed::ListedView,
    live::LiveSearch,
    prompts::{AlphaPrompt, AtOncePrompt, BetterPrompt, CostPrompt, GreedyPrompt},
    table::TableEditor,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::{View, ViewState},
    widgets::{Prose, Segmented},
};

impl Define for SearchLab {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 11;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), search.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        SearchChapter().into_any()
    }
}

#[component]
pub fn SearchChapter() -> impl IntoView {
    SearchContext::provide();
    view! {
        <Prose part="intro" />
        <Prose part="table" />
        <TableEditor />
        <GreedyPrompt />
        <BetterPrompt />
        <Prose part="methods" />
        <Methods />
        <Prose part="alpha" />
        <AlphaPrompt />
        <AlphaOfTable />
        <Prose part="cost" />
        <CostPrompt />
        <Counted />
        <Prose part="at-once" />
        <AtOncePrompt />
        <Prose part="live" />
        <LiveSearch />
    }
}

/// The choice of a method, and its result on the table.
#[component]
fn Methods() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let method = state.select(|view| view.chapters.of::<SearchLab>().method);
    let part = Signal::derive(move || match method.get() {
        Method::Greedy => "by-greedy",
        Method::Exhaustive => "by-exhaustive",
        Method::Beam => "by-beam",
        Method::Sampling => "by-sampling",
    });
    view! {
        <section class="lesson-figure" data-testid="search-methods">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, search.method).to_owned())
                options=Signal::derive(move || vec![
                    (Method::Greedy, t_string!(i18n, search.greedy).to_owned()),
                    (Method::Exhaustive, t_string!(i18n, search.exhaustive).to_owned()),
                    (Method::Beam, t_string!(i18n, search.beam).to_owned()),
                    (Method::Sampling, t_string!(i18n, search.sampling).to_owned()),
                ])
                value=method
                choose=move |method| state.update_chapters(|chapters| {
                    chapters.of_mut::<SearchLab>().method = method;
                    chapters.stage = 0;
                })
            />
            <Prose part />
            {move || match method.get() {
                Method::Greedy => view! { <GreedyView /> }.into_any(),
                Method::Exhaustive => view! { <ListedView /> }.into_any(),
                Method::Beam => view! { <BeamView /> }.into_any(),
                Method::Sampling => view! { <DrawnView /> }.into_any(),
            }}
        </section>
    }
}
