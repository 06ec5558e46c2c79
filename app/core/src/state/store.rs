//! The view as a signal, with typed setters.

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, Display, Search, snippets::Library};
use leptos::prelude::*;

use super::{
    address::push_address,
    beginning::Beginning,
    chapters::Chapters,
    claims::Tool,
    class::Class,
    model::Model,
    opened::{compare_with_count, note_missing},
    parameters::Parameters,
    roles::RolesShown,
    server::Server,
    view::{Cell, Closeup, DeviceChoice, HeadPlace, Representation, Tab, Theme, View},
};
use crate::i18n::Locale;

/// The [`View`] of the page. A context: take it with [`ViewState::expect`].
#[derive(Clone, Copy, Debug)]
pub struct ViewState(RwSignal<View>);

impl ViewState {
    /// Creates the state and provides it to all components below.
    pub fn provide(view: View) -> Self {
        let state = ViewState(RwSignal::new(view));
        provide_context(state);
        state
    }

    /// Returns the state that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the whole view; subscribes to every change.
    pub fn get(self) -> View {
        self.0.get()
    }

    /// Subscribes to every change of the view.
    pub fn track(self) {
        self.0.track();
    }

    /// Returns the whole view, without subscribing.
    pub fn get_untracked(self) -> View {
        self.0.get_untracked()
    }

    /// Returns a part of the view that notifies only when that part changes.
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

    /// Changes the view as an entry of the browser's history, so that "back" undoes this change alone.
    pub fn visit(self, change: impl FnOnce(&mut View)) {
        let before = self.get_untracked();
        self.update(change);
        push_address(&before, &self.get_untracked());
    }

    /// Notifies the visitor if the address has an index beyond the last, once the count is known.
    pub fn compare_count(self, name: &'static str, count: impl Fn() -> usize + 'static) {
        // An effect because the address lies outside the reactive graph.
        Effect::new(move |_| match count() {
            0 => {}
            count => compare_with_count(&self.get_untracked(), name, count),
        });
    }

    /// Notifies the visitor if the value of an entry in the address is not among the existing ones.
    pub fn note_missing(self, name: &'static str, is_missing: impl Fn() -> bool + 'static) {
        // An effect for the same reason.
        Effect::new(move |_| {
            if is_missing() {
                note_missing(&self.get_untracked(), name);
            }
        });
    }

    /// Replaces the view, for example when the visitor goes back.
    pub fn replace(self, view: View) {
        self.update(|current| *current = view);
    }

    /// Changes the model; the text becomes that model's first example, and everything tied to the old sentence is
    /// reset.
    pub fn set_model(self, model: Model) {
        self.update(|view| view.use_model(model));
    }

    /// Chooses another model for the same text; the tokens forced on the last one are dropped.
    pub fn set_sibling(self, model: Model) {
        self.update(|view| {
            view.model = model;
            view.beginning = Beginning::default();
            view.most_new = None;
            view.prefix.clear();
            view.step = 0;
        });
    }

    /// Chooses another model for comparison: for the same text, or with that model's first example if the two read
    /// different languages.
    pub fn set_compared(self, model: Model) {
        match self.get_untracked().model.shares_language(model) {
            true => self.set_sibling(model),
            false => self.set_model(model),
        }
    }

    /// Changes the text; everything tied to the old sentence is reset.
    pub fn set_text(self, text: String) {
        self.update(|view| view.use_text(text));
    }

    /// Changes the text as the visitor types. The words behind its masks stay.
    pub fn type_text(self, text: String) {
        self.update(|view| {
            let masked = std::mem::take(&mut view.masked);
            view.use_text(text);
            view.masked = masked;
        });
    }

    /// Masks a word of the text, or brings a masked one back. `mask` is the token of a masked word.
    pub fn toggle_mask(self, word: usize, mask: &str) {
        self.update(|view| view.toggle_mask(word, mask));
    }

    /// Changes the search for target tokens.
    pub fn set_search(self, search: Search) {
        self.update(|view| view.search = search);
    }

    /// Forces the first target tokens.
    pub fn set_prefix(self, prefix: Vec<u32>) {
        self.update(|view| view.prefix = prefix);
    }

    /// Shows or hides each head's importance on the map, as an entry of the history.
    pub fn set_importance(self, importance: bool) {
        self.visit(|view| view.importance = importance);
    }

    /// Changes the roles of heads that are shown.
    pub fn update_roles(self, change: impl FnOnce(&mut RolesShown)) {
        self.update(|view| change(&mut view.roles));
    }

    /// Opens a part of the page.
    pub fn set_tab(self, tab: Tab) {
        self.update(|view| view.tab = tab);
    }

    /// Chooses a kind of attention; the locked cell and the visible part of the map refer to other axes and are reset.
    pub fn set_kind(self, kind: AttentionKind) {
        self.update(|view| view.use_kind(kind));
    }

    /// Chooses a single head.
    pub fn set_head(self, layer: usize, head: usize) {
        self.update(|view| view.use_heads(&[HeadPlace { layer, head }]));
    }

    /// Chooses heads of the kind in sight; an empty list changes nothing.
    pub fn set_heads(self, heads: &[HeadPlace]) {
        self.update(|view| view.use_heads(heads));
    }

    /// Locks a cell, or releases it; only its row is read.
    pub fn set_cell(self, cell: Option<Cell>) {
        self.update(|view| view.use_cell(cell));
    }

    /// Reads several rows together.
    pub fn set_rows(self, rows: Vec<usize>) {
        self.update(|view| view.use_rows(rows));
    }

    /// Zooms in on a part of the model's map, or shows all of it.
    pub fn set_closeup(self, closeup: Option<Closeup>) {
        self.update(|view| view.closeup = closeup);
    }

    /// Scrolls a large map to a part.
    pub fn set_window(self, window: Aim) {
        self.update(|view| view.window = Some(window));
    }

    /// Chooses the drawing of a head.
    pub fn set_representation(self, representation: Representation) {
        self.update(|view| view.representation = representation);
    }

    /// Opens a tool that tests a claim.
    pub fn set_tool(self, tool: Tool) {
        self.update(|view| view.open_tool(tool));
    }

    /// Turns the normalisation of each map on or off.
    pub fn set_normalised(self, normalised: bool) {
        self.update(|view| view.normalised = normalised);
    }

    /// Changes the tokens that maps of attention show.
    pub fn update_display(self, change: impl FnOnce(&mut Display)) {
        self.update(|view| {
            let mut display = view.display;
            change(&mut display);
            view.use_display(display);
        });
    }

    /// Shows a decoding time step, from 0.
    pub fn set_step(self, step: usize) {
        self.update(|view| view.use_step(step));
    }

    /// Changes the parameters of a chapter.
    pub fn change<P: Parameters>(self, change: impl FnOnce(&mut P)) {
        self.update(|view| change(view.chapters.of_mut()));
    }

    pub fn update_chapters(self, change: impl FnOnce(&mut Chapters)) {
        self.update(|view| change(&mut view.chapters));
    }

    /// Changes the lesson's route and the presentation.
    pub fn update_class(self, change: impl FnOnce(&mut Class)) {
        self.update(|view| change(&mut view.class));
    }

    /// Sets the language of the page.
    pub fn set_language(self, language: Locale) {
        self.update(|view| view.language = Some(language));
    }

    /// Sets the colour theme of the page.
    pub fn set_theme(self, theme: Theme) {
        self.update(|view| view.theme = theme);
    }

    /// Switches large type on or off.
    pub fn set_large(self, large: bool) {
        self.update(|view| view.large = large);
    }

    /// Writes formulas with the vectors of tokens as columns, or as rows.
    pub fn set_columns(self, columns: bool) {
        self.update(|view| view.columns = columns);
    }

    /// Changes the library in which formulas are shown as code.
    pub fn set_library(self, library: Library) {
        self.update(|view| view.library = library);
    }

    /// Chooses a server, and the model that it has.
    pub fn use_server(self, server: Server) {
        self.update(|view| {
            view.server = Some(server);
            view.device = DeviceChoice::Server;
            view.use_model(Model::Mine(None));
        });
    }

    /// Changes the device that the model should run on.
    pub fn set_device(self, device: DeviceChoice) {
        self.update(|view| view.device = device);
    }
}
