//! Which parts' code is loaded; the rest is in chunks that are downloaded on demand.

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::SplitLoaderError;

use super::{decoding::decoding, heads::HeadsView, learn::learn};
use crate::{
    assets::deployment,
    class::class,
    engine::{Live, Source},
    state::{AddressValue, Tab},
};

/// Shows a part of the page.
type Show = fn() -> AnyView;

/// A part of the page with code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What a tab shows.
    Tab(Tab),
    /// A lesson's route, and presenter mode.
    Class,
}

impl Piece {
    const COUNT: usize = Tab::VALUES.len() + 1;

    fn all() -> impl Iterator<Item = Self> {
        let tabs = Tab::VALUES.iter().map(|&(tab, _)| Piece::Tab(tab));
        tabs.chain([Piece::Class])
    }

    fn index(self) -> usize {
        match self {
            Piece::Tab(tab) => tab as usize,
            Piece::Class => Tab::VALUES.len(),
        }
    }
}

/// How far the download of a piece's code is.
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

/// The code of every piece. A context: take it with [`Chunks::expect`].
#[derive(Clone, Copy, Debug)]
pub struct Chunks([RwSignal<Stage>; Piece::COUNT]);

impl Chunks {
    /// Provides the context. Once the model has answered, all chunks are downloaded, so that a visitor
    /// rarely waits for one; not earlier, since what the first answer needs comes first.
    pub fn provide(live: Live) -> Self {
        let chunks = Chunks(std::array::from_fn(|_| RwSignal::new(Stage::Away)));
        chunks.of(Piece::Tab(Tab::Heads)).set(Stage::Here(heads));
        provide_context(chunks);
        let has_answered = live.select(|engine| {
            let shown = engine.shown.as_ref();
            shown.is_some_and(|shown| matches!(shown.source, Source::Live(_)))
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            if has_answered.get() {
                Piece::all().for_each(|piece| chunks.fetch(piece));
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

    /// How far a piece's code is; subscribes to its change.
    pub fn stage(self, piece: Piece) -> Stage {
        self.of(piece).get()
    }

    /// Downloads a piece's code, unless it is loaded or being downloaded.
    pub fn fetch(self, piece: Piece) {
        let stage = self.of(piece);
        if matches!(stage.get_untracked(), Stage::Loading | Stage::Here(_)) {
            return;
        }
        stage.set(Stage::Loading);
        spawn_local(async move {
            let code = code(piece).await;
            if code.is_err() {
                // The loader has written the reason to the console.
                deployment::look();
            }
            stage.try_set(code.map_or(Stage::Missing, Stage::Here));
        });
    }

    fn of(self, piece: Piece) -> RwSignal<Stage> {
        self.0[piece.index()]
    }
}

/// What shows a piece, downloaded where it is in a chunk.
async fn code(piece: Piece) -> Result<Show, SplitLoaderError> {
    match piece {
        Piece::Tab(Tab::Heads) => Ok(heads),
        Piece::Tab(Tab::Decoding) => decoding().await,
        Piece::Tab(Tab::Learn) => learn().await,
        Piece::Class => class().await,
    }
}

/// The first picture: it is in the main module.
fn heads() -> AnyView {
    view! { <HeadsView /> }.into_any()
}
