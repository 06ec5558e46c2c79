//! The view as a signal, with typed setters.

use attention_trace::{AttentionKind, Search};
use leptos::prelude::*;

use super::view::{Cell, DeviceChoice, Model, Representation, Tab, Theme, View};
use super::{chapters::Chapters, positions::Positions};
use crate::i18n::Locale;

/// The [`View`] of the page. A context: take it with [`ViewState::expect`].
#[derive(Clone, Copy, Debug)]
pub struct ViewState(RwSignal<View>);

impl ViewState {
    /// Makes the state and provides it to all components below.
    pub fn provide(view: View) -> Self {
        let state = ViewState(RwSignal::new(view));
        provide_context(state);
        state
    }

    /// The state that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The whole view; subscribes to every change.
    pub fn get(self) -> View {
        self.0.get()
    }

    /// Subscribes to every change.
    pub fn track(self) {
        self.0.track();
    }

    /// The whole view, without subscribing.
    pub fn get_untracked(self) -> View {
        self.0.get_untracked()
    }

    /// A part of the view that notifies only when that part changes.
    pub fn select<T>(self, part: impl Fn(&View) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.0.with(&part))
    }

    /// Changes the view. Safe after an `await`: nothing happens once the page is gone.
    pub fn update(self, change: impl FnOnce(&mut View)) {
        self.0.try_update(change);
    }

    /// Replaces the view, as when the visitor goes back.
    pub fn replace(self, view: View) {
        self.update(|current| *current = view);
    }

    /// Changes the model; the text becomes that model's first example, and what belonged to the
    /// old sentence is forgotten.
    pub fn set_model(self, model: Model) {
        self.update(|view| view.use_model(model));
    }

    /// Chooses another model for the same text; tokens forced upon the last one are forgotten.
    pub fn set_sibling(self, model: Model) {
        self.update(|view| {
            view.model = model;
            view.prefix.clear();
            view.step = 0;
        });
    }

    /// Changes the text; what belonged to the old sentence is forgotten.
    pub fn set_text(self, text: String) {
        self.update(|view| view.use_text(text));
    }

    /// Changes how target tokens are searched for.
    pub fn set_search(self, search: Search) {
        self.update(|view| view.search = search);
    }

    /// Forces the first target tokens.
    pub fn set_prefix(self, prefix: Vec<u32>) {
        self.update(|view| view.prefix = prefix);
    }

    /// Opens a part of the page.
    pub fn set_tab(self, tab: Tab) {
        self.update(|view| view.tab = tab);
    }

    /// Chooses a kind of attention; a locked cell belongs to other axes and is let go.
    pub fn set_kind(self, kind: AttentionKind) {
        self.update(|view| {
            view.kind = kind;
            view.cell = None;
        });
    }

    /// Chooses a head.
    pub fn set_head(self, layer: usize, head: usize) {
        self.update(|view| {
            view.layer = layer;
            view.head = head;
        });
    }

    /// Locks a cell, or lets go of it.
    pub fn set_cell(self, cell: Option<Cell>) {
        self.update(|view| view.cell = cell);
    }

    /// Chooses how a head is drawn.
    pub fn set_representation(self, representation: Representation) {
        self.update(|view| view.representation = representation);
    }

    /// Turns the normalisation of each map on or off.
    pub fn set_normalised(self, normalised: bool) {
        self.update(|view| view.normalised = normalised);
    }

    /// Shows a decoding time step, from 0.
    pub fn set_step(self, step: usize) {
        self.update(|view| view.step = step);
    }

    /// Changes what the positions tab shows.
    pub fn update_positions(self, change: impl FnOnce(&mut Positions)) {
        self.update(|view| change(&mut view.positions));
    }

    /// Changes what the chapters show.
    pub fn update_chapters(self, change: impl FnOnce(&mut Chapters)) {
        self.update(|view| change(&mut view.chapters));
    }

    /// Changes the language.
    pub fn set_language(self, language: Locale) {
        self.update(|view| view.language = Some(language));
    }

    /// Changes the theme.
    pub fn set_theme(self, theme: Theme) {
        self.update(|view| view.theme = theme);
    }

    /// Changes what the model should run on.
    pub fn set_device(self, device: DeviceChoice) {
        self.update(|view| view.device = device);
    }
}
