//! The choice of the model: a button with the name of the current model, and a sheet with all models.

mod card;
mod entries;
mod hub;
mod mine;
mod offered;

use attention_protocol::FilesFault;
use leptos::{ev, prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{card::RunningCard, entries::Entries, mine::OwnModels, offered::OfferedModels};
use super::picture::{Reader, take_picture};
use attention_core::{
    engine::Live,
    hub::Hub,
    i18n::{t, t_string, use_i18n},
    mine::{About, Chosen, Mine, Picked, dropped, holds_files, text_of_only},
    names::{full_model_name, model_words},
    navigation::go_to,
    state::{Model, View, ViewState, names_view},
    widgets::{Dialog, Later},
};

/// The identifier of the sheet's title.
const TITLE: &str = "models-title";

/// The state of the sheet and of the files chosen last. A context, available through [`ModelsSheet::expect`].
#[derive(Clone, Copy)]
pub struct ModelsSheet {
    is_open: RwSignal<bool>,
    /// The fault of the files chosen last.
    fault: RwSignal<Option<FilesFault>>,
    is_reading: RwSignal<bool>,
    /// The number of choices of files so far; only the latest is used.
    choices: StoredValue<u32>,
    /// True if the card of chosen files is shown before their model is opened.
    looks_first: RwSignal<bool>,
    /// The facts of the files whose card is shown, and these files.
    found: RwSignal<Option<About>>,
    found_files: StoredValue<Option<Chosen>, LocalStorage>,
    live: Live,
    state: ViewState,
    mine: Mine,
}

impl ModelsSheet {
    /// Provides the sheet as a context, closed.
    pub fn provide() {
        provide_context(ModelsSheet {
            is_open: RwSignal::new(false),
            fault: RwSignal::new(None),
            is_reading: RwSignal::new(false),
            choices: StoredValue::new(0),
            looks_first: RwSignal::new(false),
            found: RwSignal::new(None),
            found_files: StoredValue::new_local(None),
            live: Live::expect(),
            state: ViewState::expect(),
            mine: Mine::expect(),
        });
    }

    /// Returns the sheet provided by a component above.
    ///
    /// # Panics
    /// If called outside the shell.
    pub fn expect() -> Self {
        expect_context()
    }

    pub fn open(self) {
        self.is_open.set(true);
    }

    fn close(self) {
        self.is_open.set(false);
    }

    /// Closes the sheet and runs the view's model and text.
    fn run(self) {
        self.close();
        self.live.run();
    }

    /// Opens the model whose card is shown.
    fn open_found(self) {
        self.found.set(None);
        let chosen = self.found_files.try_update_value(Option::take).flatten();
        if let Some(chosen) = chosen {
            self.open_chosen(chosen);
        }
    }

    fn open_chosen(self, chosen: Chosen) {
        self.state.update(|view| self.mine.choose(chosen, view));
        self.run();
    }

    /// Reads chosen files; if they make a model, shows its card, or closes the sheet and runs the model. Until then nothing
    /// else changes.
    fn read(self, picked: Vec<Picked>) {
        self.choices.update_value(|choices| *choices += 1);
        let own = self.choices.get_value();
        self.fault.set(None);
        self.found.set(None);
        self.is_reading.set(true);
        spawn_local(async move {
            let read = read(&picked).await;
            if self.choices.try_get_value() != Some(own) {
                return;
            }
            self.is_reading.set(false);
            match read {
                Ok(Read::View(view)) => {
                    self.close();
                    go_to(self.state, self.live, *view);
                }
                Ok(Read::Model(chosen)) if self.looks_first.get_untracked() => {
                    self.found.set(Some(chosen.about().clone()));
                    self.found_files.set_value(Some(*chosen));
                }
                Ok(Read::Model(chosen)) => self.open_chosen(*chosen),
                Err(fault) => self.fault.set(Some(fault)),
            }
        });
    }
}

/// The contents of chosen files.
enum Read {
    /// A model, or a recorded pass in its place.
    Model(Box<Chosen>),
    /// A view that was saved as a file.
    View(Box<View>),
}

/// Reads chosen files: a view, a recorded pass, or a model.
async fn read(picked: &[Picked]) -> Result<Read, FilesFault> {
    match text_of_only(picked, names_view).await {
        Some(text) => {
            let view = View::from_file(&text?).map_err(|error| FilesFault::Unfit {
                reason: error.to_string(),
            })?;
            Ok(Read::View(Box::new(view)))
        }
        None => Chosen::of(picked)
            .await
            .map(|chosen| Read::Model(Box::new(chosen))),
    }
}

/// The button with the name of the model in use. It opens the sheet, as does a file dropped on the page.
#[component]
pub fn ModelsButton() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let model = ViewState::expect().select(|view| view.model);
    let name = short_name();
    let name = move || name(model.get());
    take_dropped(sheet);
    view! {
        <button
            type="button"
            class="plain-button models-button"
            data-testid="models-button"
            aria-haspopup="dialog"
            aria-label=move || format!("{}: {}", t_string!(i18n, shell.model), name())
            on:click=move |_| sheet.open()
        >
            <span class="models-button-name">{name}</span>
            <span aria-hidden="true">"▾"</span>
        </button>
        <Sheet />
    }
}

/// Returns a function for a model's name and variant in one line.
fn short_name() -> impl Fn(Model) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let name = full_model_name();
    move |model| match model_words(i18n, model).title {
        "" => name(model),
        title => title.to_owned(),
    }
}

/// Accepts files dropped anywhere on the page, which browsers would otherwise open instead of the page: a picture for a
/// model of pictures, or the files of a model.
fn take_dropped(sheet: ModelsSheet) {
    let reader = Reader::expect();
    let over = window_event_listener(ev::dragover, |event| {
        if holds_files(&event) {
            event.prevent_default();
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        if holds_files(&event) {
            event.prevent_default();
            if take_picture(&event, reader) {
                return;
            }
            sheet.open();
            // The browser forgets what was dropped when this function ends.
            let files = dropped(&event);
            spawn_local(async move { sheet.read(files.await) });
        }
    });
    on_cleanup(move || {
        over.remove();
        drop.remove();
    });
}

/// The sheet: a dialog, so that the focus stays in it, and afterwards returns to its previous place.
#[component]
fn Sheet() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let was_opened = RwSignal::new(false);
    let hub = Hub::expect();
    // An effect because a download ends at any time.
    Effect::new(move |before: Option<u32>| {
        let opened = hub.opened();
        if before.is_some_and(|before| before != opened) {
            sheet.close();
        }
        opened
    });
    // An effect because the contents stay once they were opened.
    Effect::new(move |_| {
        if sheet.is_open.get() {
            was_opened.set(true);
        }
    });
    view! {
        <Dialog
            class="models-sheet"
            test_id="models-sheet"
            title=TITLE
            is_open=sheet.is_open
            close=move || sheet.close()
        >
            <div class="models-body">
                <div class="models-head">
                    <h2 id=TITLE>{t!(i18n, models.title)}</h2>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="models-close"
                        on:click=move |_| sheet.close()
                    >
                        {t!(i18n, models.close)}
                    </button>
                </div>
                <Later load=contents when=was_opened />
            </div>
        </Dialog>
    }
}

/// Returns the contents of the sheet. In the chunk of views that the first picture does not need.
#[wasm_split(views, fallible)]
fn contents() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| {
        view! {
            <RunningCard />
            <Entries />
            <OfferedModels />
            <OwnModels />
        }
        .into_any()
    })
}
