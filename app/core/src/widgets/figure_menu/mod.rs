//! The menu of a figure: a button beside each figure opens one sheet, which makes files of what is on screen.

mod files;
mod png;
mod print;
mod sheet;
mod taken;

use attention_trace::{Edit, TraceMeta};
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

pub use self::taken::{Taken, map_side};
use super::{Dialog, Later};
use crate::i18n::{t, t_string, use_i18n};

/// The identifier of the sheet's title.
const TITLE: &str = "export-title";

/// The facts about what is on screen that hold for every figure. They are asked for when a figure is exported.
#[derive(Clone, Copy)]
pub struct Provenance {
    /// Returns the sentences of a caption: model, text, edits, program, link.
    pub sentences: Callback<(), Vec<String>>,
    /// Returns the pass whose result is on screen.
    pub pass: Callback<(), Option<ShownPass>>,
}

/// The pass whose result is on screen, for code that makes it again.
#[derive(Clone, Debug)]
pub struct ShownPass {
    pub meta: TraceMeta,
    /// The directory of the checkpoint, or its name on a hub.
    pub checkpoint: String,
    /// The text that the model read.
    pub text: String,
    /// The number of target tokens that the text has, in a decoder-only model.
    pub prompt: usize,
    pub edits: Vec<Edit>,
}

/// The figure whose sheet is open. A context: without it, figures have no menu.
#[derive(Clone, Copy)]
pub struct FigureMenu {
    taken: RwSignal<Option<Taken>>,
    provenance: Provenance,
}

impl FigureMenu {
    /// Provides the menu to the components below.
    pub fn provide(provenance: Provenance) {
        provide_context(FigureMenu {
            taken: RwSignal::new(None),
            provenance,
        });
    }

    fn close(self) {
        self.taken.set(None);
    }
}

/// The button of a figure; nothing where there is no menu. `take` describes the figure as it is on screen.
#[component]
pub fn FigureButton(
    /// The name of the figure.
    #[prop(into)]
    name: Signal<String>,
    /// Describes the figure; `None` while it has no numbers.
    take: impl Fn() -> Option<Taken> + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let menu = use_context::<FigureMenu>()?;
    let label = move || t_string!(i18n, export.open, name = name.get());
    Some(view! {
        <button
            type="button"
            class="figure-button"
            data-testid="export"
            aria-haspopup="dialog"
            aria-label=label
            title=label
            on:click=move |_| menu.taken.set(untrack(&take))
        ></button>
    })
}

/// The sheet with the choices and files of the figure whose menu was opened.
#[component]
pub fn FigureSheet() -> impl IntoView {
    let i18n = use_i18n();
    let menu = expect_context::<FigureMenu>();
    let is_open = Memo::new(move |_| menu.taken.read().is_some());
    view! {
        <Dialog
            class="export-sheet"
            test_id="export-sheet"
            title=TITLE
            is_open
            close=move || menu.close()
        >
            <div class="export-body">
                <div class="export-head">
                    <h2 id=TITLE>{t!(i18n, export.title)}</h2>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="export-close"
                        on:click=move |_| menu.close()
                    >
                        {t!(i18n, export.close)}
                    </button>
                </div>
                <Later load=contents when=is_open />
            </div>
        </Dialog>
    }
}

#[wasm_split(views, fallible)]
fn contents() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <sheet::Contents /> }.into_any())
}
