//! The input of a model of pictures: pictures that the page draws, and the visitor's own by choice, drop and paste.

use attention_protocol::OrLogged;
use js_sys::Reflect;
use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DragEvent, File, FileList, HtmlInputElement};

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    mine::Mine,
    pictures::{Pictures, Scene},
    state::ViewState,
    widgets::numbers::grouped,
};

/// The picture of the model: its choice, its name and its size.
#[component]
pub fn PictureForm() -> impl IntoView {
    let i18n = use_i18n();
    let pictures = Pictures::expect();
    let text = ViewState::expect().select(|view| view.text.clone());
    take_pasted();
    let scenes = Scene::ALL.map(|scene| {
        let name = move || match scene {
            Scene::Horizon => t_string!(i18n, picture.horizon),
            Scene::Disc => t_string!(i18n, picture.disc),
            Scene::Squares => t_string!(i18n, picture.squares),
        };
        view! { <Choice name=scene.to_string() words=Signal::derive(move || name().to_owned()) /> }
    });
    let own = move || {
        let own = pictures.own_names().into_iter().map(|name| {
            let words = name.clone();
            view! { <Choice name words=Signal::stored(words) /> }
        });
        own.collect_view()
    };
    let about = move || {
        let held = pictures.find(&text.get())?;
        let px = |px: usize| grouped(px as u64);
        let [width, height] = held.size_px().map(px);
        Some(match held.scaled_from_px() {
            None => t_string!(i18n, picture.size, width = width, height = height),
            Some(original) => {
                let [from_width, from_height] = original.map(px);
                t_string!(
                    i18n,
                    picture.scaled,
                    width = width,
                    height = height,
                    from_width = from_width,
                    from_height = from_height
                )
            }
        })
    };
    view! {
        <div class="picture-form" data-testid="picture-form">
            <div class="picture-choices" role="group" aria-label=move || t_string!(i18n, picture.title)>
                {scenes}
                {own}
                <OwnPicture />
            </div>
            <p class="hint">{t!(i18n, picture.ways)}" "{about}</p>
            {move || pictures.fault().map(|fault| view! {
                <p class="hint warning" role="alert" data-testid="picture-problem">
                    {move || t_string!(
                        i18n,
                        picture.undecoded,
                        name = fault.name.clone(),
                        reason = fault.reason.clone()
                    )}
                </p>
            })}
        </div>
    }
}

/// A button that makes the model read a picture.
#[component]
fn Choice(name: String, words: Signal<String>) -> impl IntoView {
    let (live, state) = (Live::expect(), ViewState::expect());
    let text = state.select(|view| view.text.clone());
    let own = StoredValue::new(name);
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid=format!("picture-{}", own.get_value())
            aria-pressed=move || own.with_value(|own| *text.read() == *own).to_string()
            on:click=move |_| read(live, state, own.get_value())
        >
            {words}
        </button>
    }
}

/// The field that accepts a file.
#[component]
fn OwnPicture() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let pictures = Pictures::expect();
    let choose = move |field: HtmlInputElement| {
        let file = field.files().and_then(|files| files.get(0));
        if let Some(file) = file {
            pictures.open(file, move |name| read(live, state, name));
        }
        // The same file may be chosen again, once it has been put right.
        field.set_value("");
    };
    view! {
        <label class="plain-button models-field">
            {t!(i18n, picture.choose)}
            <input
                type="file"
                class="visually-hidden"
                accept="image/*"
                data-testid="picture-file"
                on:change:target=move |event| choose(event.target())
            />
        </label>
    }
}

/// Makes the model read the picture of that name.
fn read(live: Live, state: ViewState, name: String) {
    state.update(|view| view.use_text(name));
    live.run();
}

/// Reads a dropped picture, if the model reads pictures and one file was dropped; returns false otherwise.
pub fn take_picture(event: &DragEvent, reader: Reader) -> bool {
    let files = event.data_transfer().and_then(|data| data.files());
    files.is_some_and(|files| reader.open_only(&files))
}

/// Accepts pictures that are pasted while the form is there.
fn take_pasted() {
    let reader = Reader::expect();
    let pasted = window_event_listener(ev::paste, move |event| {
        let data = Reflect::get(&event, &JsValue::from_str("clipboardData"));
        let files = data
            .and_then(|data| Reflect::get(&data, &JsValue::from_str("files")))
            .or_logged("reading what was pasted");
        let files: Option<FileList> = files.and_then(|files| files.dyn_into().ok());
        if files.is_some_and(|files| reader.open_only(&files)) {
            event.prevent_default();
        }
    });
    on_cleanup(move || pasted.remove());
}

/// The contexts that read a picture which arrives outside the form.
#[derive(Clone, Copy)]
pub struct Reader {
    live: Live,
    state: ViewState,
    mine: Mine,
    pictures: Pictures,
}

impl Reader {
    /// Takes the contexts that components above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        Reader {
            live: Live::expect(),
            state: ViewState::expect(),
            mine: Mine::expect(),
            pictures: Pictures::expect(),
        }
    }

    /// Reads the file, if it is the only one and a picture, and the model reads pictures; returns false otherwise.
    fn open_only(self, files: &FileList) -> bool {
        let Reader { live, state, .. } = self;
        let is_wanted = untrack(|| self.mine.reads_pictures(state.get_untracked().model));
        let file: Option<File> = files.get(0).filter(|file| {
            let is_picture = file.type_().starts_with("image/");
            files.length() == 1 && is_picture && is_wanted
        });
        let is_there = file.is_some();
        if let Some(file) = file {
            self.pictures
                .open(file, move |name| read(live, state, name));
        }
        is_there
    }
}
