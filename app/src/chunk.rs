//! The chunk of the "Learn" tab: code that is downloaded when it is first needed.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    chapters::learn,
    engine::{Live, Source},
};

/// How far the download is.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// Nobody has asked for it yet.
    Away,
    /// It is on its way.
    Loading,
    /// It could not be downloaded.
    Missing,
    /// It is here, and this function of its shows the tab.
    Here(fn() -> AnyView),
}

/// The chunk of the "Learn" tab. A context: take it with [`LearnChunk::expect`].
#[derive(Clone, Copy, Debug)]
pub struct LearnChunk(RwSignal<Stage>);

impl LearnChunk {
    /// Provides the context. Once the model has answered, the chunk is downloaded ahead, so that a
    /// visitor rarely waits for it, and what the first answer needs comes first.
    pub fn provide(live: Live) -> Self {
        let chunk = LearnChunk(RwSignal::new(Stage::Away));
        provide_context(chunk);
        let has_answered = live.select(|engine| {
            let shown = engine.shown.as_ref();
            shown.is_some_and(|shown| matches!(shown.source, Source::Live(_)))
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            if has_answered.get() {
                chunk.fetch();
            }
        });
        chunk
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// How far the download is; subscribes to its change.
    pub fn stage(self) -> Stage {
        self.0.get()
    }

    /// Downloads it, unless it is here or on its way.
    pub fn fetch(self) {
        if matches!(self.0.get_untracked(), Stage::Loading | Stage::Here(_)) {
            return;
        }
        self.0.set(Stage::Loading);
        spawn_local(async move {
            let stage = match learn().await {
                Ok(show) => Stage::Here(show),
                // The loader has written the reason to the console.
                Err(_) => Stage::Missing,
            };
            self.0.try_set(stage);
        });
    }
}
