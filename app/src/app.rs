//! The root component of the page.

use leptos::prelude::*;

use crate::{
    shell::{Shell, watch_deployment},
    tabs::Chunks,
};
use attention_core::{
    appearance::Appearance,
    classroom::Classroom,
    edits::{EditControl, SetScores},
    engine::Live,
    hub::Hub,
    i18n::I18nContextProvider,
    kept::KeptModels,
    language::follow_language,
    lessons::Lessons,
    mine::Mine,
    offline::keep_for_later,
    pictures::Pictures,
    remembered,
    roles::{RoleChips, RoleCorpus},
    state::{ViewState, keep_in_address, open_address},
    steps::Steps,
};

/// The page: its state, its contexts and its elements.
#[component]
pub fn App() -> impl IntoView {
    attention_chapters::install();
    let state = ViewState::provide(open_address(remembered::complete));
    Appearance::provide(state);
    let mine = Mine::provide();
    let live = Live::provide(state, KeptModels::provide(), mine, Pictures::provide());
    Hub::provide(state, live, mine);
    EditControl::provide(live, state);
    SetScores::provide(state);
    RoleChips::provide();
    RoleCorpus::provide();
    Steps::provide(live, state);
    Lessons::provide();
    Chunks::provide(live);
    Classroom::provide(state, live);
    keep_in_address(state, remembered::complete, move || live.follow_view());
    keep_for_later(live);
    watch_deployment(live);
    view! {
        <I18nContextProvider>
            <Page state />
        </I18nContextProvider>
    }
}

/// The page below the provider of translations, whose language follows the view.
#[component]
fn Page(state: ViewState) -> impl IntoView {
    follow_language(state);
    view! { <Shell /> }
}
