//! The loaded code of tabs; the rest is in chunks that are downloaded on demand.

use leptos::prelude::*;
use wasm_split_helpers::SplitLoaderError;

use super::{
    explore::{ExploreView, next_word},
    learn::learn,
    teach::teach,
};
use attention_core::{
    engine::{Live, Source},
    state::{AddressValue, Tab},
    widgets::Stage,
};

/// A function that creates the view of a tab.
pub type Show = fn() -> AnyView;

/// The code of every tab. A context, available through [`Chunks::expect`].
#[derive(Clone, Copy, Debug)]
pub struct Chunks([RwSignal<Stage<Show>>; Tab::COUNT]);

impl Chunks {
    /// Provides the context. Once the model has answered, all chunks are downloaded, so that a visitor rarely waits for
    /// one; not earlier, since the files for the first answer come first.
    pub fn provide(live: Live) -> Self {
        let chunks = Chunks(std::array::from_fn(|_| RwSignal::new(Stage::Away)));
        chunks.of(Tab::Explore).set(Stage::Here(explore));
        provide_context(chunks);
        let has_answered = live.select(|engine| {
            let shown = engine.shown.as_ref();
            shown.is_some_and(|shown| shown.source != Source::Example)
        });
        // The chunk of views, by one of them.
        let views = RwSignal::new(Stage::Away);
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            if has_answered.get() {
                Tab::values()
                    .into_iter()
                    .for_each(|(tab, _)| chunks.fetch(tab));
                Stage::fetch(views, next_word());
            }
        });
        chunks
    }

    /// Returns the context provided by a component above.
    ///
    /// # Panics
    /// If called outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the stage of the download of a tab's code.
    pub fn of(self, tab: Tab) -> RwSignal<Stage<Show>> {
        self.0[tab as usize]
    }

    /// Downloads a tab's code, unless it is loaded or being downloaded.
    pub fn fetch(self, tab: Tab) {
        Stage::fetch(self.of(tab), code(tab));
    }
}

/// Returns the view function of a tab, downloaded if it is in a chunk.
async fn code(tab: Tab) -> Result<Show, SplitLoaderError> {
    match tab {
        Tab::Explore => Ok(explore),
        Tab::Learn => learn().await,
        Tab::Teach => teach().await,
    }
}

/// Returns the view of the first picture, which is in the main module.
fn explore() -> AnyView {
    view! { <ExploreView /> }.into_any()
}
