//! Which tabs' code is loaded; the rest is in chunks that are downloaded on demand.

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::SplitLoaderError;

use super::{decoding::decoding, heads::HeadsView, learn::learn};
use crate::{
    assets::deployment,
    engine::{Live, Source},
    state::{AddressValue, Tab},
};

/// Shows a tab.
type Show = fn() -> AnyView;

/// How far the download of a tab's code is.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// Not requested yet.
    Away,
    /// Being downloaded.
    Loading,
    /// The download failed.
    Missing,
    /// Loaded.
    Here(Show),
}

/// The code of every tab. A context: take it with [`Chunks::expect`].
#[derive(Clone, Copy, Debug)]
pub struct Chunks([RwSignal<Stage>; Tab::VALUES.len()]);

impl Chunks {
    /// Provides the context. Once the model has answered, all chunks are downloaded, so that a visitor
    /// rarely waits for one; not earlier, since what the first answer needs comes first.
    pub fn provide(live: Live) -> Self {
        let chunks = Chunks(std::array::from_fn(|_| RwSignal::new(Stage::Away)));
        chunks.of(Tab::Heads).set(Stage::Here(heads));
        provide_context(chunks);
        let has_answered = live.select(|engine| {
            let shown = engine.shown.as_ref();
            shown.is_some_and(|shown| matches!(shown.source, Source::Live(_)))
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            if has_answered.get() {
                Tab::VALUES.iter().for_each(|&(tab, _)| chunks.fetch(tab));
            }
        });
        chunks
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// How far a tab's code is; subscribes to its change.
    pub fn stage(self, tab: Tab) -> Stage {
        self.of(tab).get()
    }

    /// Downloads a tab's code, unless it is loaded or being downloaded.
    pub fn fetch(self, tab: Tab) {
        let stage = self.of(tab);
        if matches!(stage.get_untracked(), Stage::Loading | Stage::Here(_)) {
            return;
        }
        stage.set(Stage::Loading);
        spawn_local(async move {
            let code = code(tab).await;
            if code.is_err() {
                // The loader has written the reason to the console.
                deployment::look();
            }
            stage.try_set(code.map_or(Stage::Missing, Stage::Here));
        });
    }

    fn of(self, tab: Tab) -> RwSignal<Stage> {
        self.0[tab as usize]
    }
}

/// What shows a tab, downloaded where it is in a chunk.
async fn code(tab: Tab) -> Result<Show, SplitLoaderError> {
    match tab {
        Tab::Heads => Ok(heads),
        Tab::Decoding => decoding().await,
        Tab::Learn => learn().await,
    }
}

/// The first picture: it is in the main module.
fn heads() -> AnyView {
    view! { <HeadsView /> }.into_any()
}
