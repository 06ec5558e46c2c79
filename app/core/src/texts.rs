//! Texts in parts, which the build made from Markdown; fetched when they are shown.

use std::{collections::HashMap, sync::Arc};

use attention_trace::snippets::{Library, Sizes};

use js_sys::{JSON, Object, Reflect};
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::Locale as _;
use wasm_bindgen::JsValue;

use crate::{
    assets::{self, deployment},
    engine::{Live, describe},
    language::current_language,
    remembered,
    state::ViewState,
    widgets::{CODE_PREFIX, Columns, Parts, Programs, Snippets, Text},
};

/// Fetches a text, such as `chapters/follow`, in the page's language, and provides it to the components below.
pub fn provide_text(text: impl Fn() -> String + Send + Sync + 'static) {
    Text::provide(fetched(text), columns());
}

/// Provides the programs of formulas to the components below: for the pass on screen, in the view's library.
pub fn provide_snippets() {
    let state = ViewState::expect();
    let live = Live::expect();
    let programs = RwSignal::new(None::<Programs>);
    let is_asked = StoredValue::new(false);
    let fetch = move |()| {
        if is_asked.get_value() {
            return;
        }
        is_asked.set_value(true);
        spawn_local(async move {
            let found = fetch_programs().await;
            if found.is_err() {
                is_asked.try_set_value(false);
                deployment::look();
            }
            programs.try_set(Some(found));
        });
    };
    let sizes = Memo::new(move |_| {
        live.trace()
            .map_or_else(Sizes::default, |trace| Sizes::of(&trace.meta))
    });
    provide_context(Snippets {
        programs: programs.into(),
        fetch: Callback::new(fetch),
        library: state.select(|view| view.library).into(),
        choose: Callback::new(move |library: Library| {
            remembered::keep_library(library);
            state.set_library(library);
        }),
        sizes: sizes.into(),
        shown: state
            .select(|view| {
                let answers = view.chapters.reading.answers.iter();
                let programs = answers.filter(|name| name.starts_with(CODE_PREFIX));
                programs.cloned().collect::<Vec<_>>()
            })
            .into(),
        show: Callback::new(move |(name, shown): (String, bool)| {
            state.update_chapters(|chapters| chapters.reading.set_answer(&name, shown));
        }),
    });
}

/// The file with all programs, which is fetched when the first is opened.
const PROGRAMS: &str = "snippets.json";

async fn fetch_programs() -> Programs {
    let text = assets::fetch_text(PROGRAMS).await;
    let text = text.map_err(|error| describe(&error))?;
    let programs = serde_json::from_str(&text);
    Ok(Arc::new(programs.map_err(|error| error.to_string())?))
}

/// Does the same for figures on their own, which show only the captions of the text.
pub fn provide_captions(text: impl Fn() -> String + Send + Sync + 'static) {
    Text::provide_captions(fetched(text), columns());
}

/// The form of formulas, which is a part of the view.
fn columns() -> Columns {
    let state = ViewState::expect();
    Columns {
        on: state.select(|view| view.columns).into(),
        set: Callback::new(move |columns| state.set_columns(columns)),
    }
}

fn fetched(text: impl Fn() -> String + Send + Sync + 'static) -> Signal<Option<Parts>> {
    let texts = RwSignal::new(HashMap::<String, Parts>::new());
    let name = Memo::new(move |_| format!("{}.{}.json", text(), current_language().as_str()));
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        let name = name.get();
        if texts.with_untracked(|texts| matches!(texts.get(&name), Some(Ok(_)))) {
            return;
        }
        spawn_local(async move {
            let parts = fetch(&name).await;
            if parts.is_err() {
                // Some hosts answer with a page where a file is missing.
                deployment::look();
            }
            texts.try_update(|texts| texts.insert(name, parts));
        });
    });
    Signal::derive(move || name.with(|name| texts.with(|texts| texts.get(name).cloned())))
}

async fn fetch(name: &str) -> Parts {
    let failed = |error: JsValue| describe(&error);
    let text = assets::fetch_text(name).await.map_err(failed)?;
    let object: Object = JSON::parse(&text).map_err(failed)?.into();
    let mut parts = HashMap::new();
    for part in Object::keys(&object) {
        let html = Reflect::get(&object, &part).map_err(failed)?;
        if let (Some(part), Some(html)) = (part.as_string(), html.as_string()) {
            parts.insert(part, html);
        }
    }
    Ok(Arc::new(parts))
}
