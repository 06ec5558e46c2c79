//! Texts in parts, which the build made from Markdown; fetched when they are shown.

use std::{collections::HashMap, sync::Arc};

use js_sys::{JSON, Object, Reflect};
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::Locale as _;
use wasm_bindgen::JsValue;

use crate::{
    assets::{self, deployment},
    engine::describe,
    language::current_language,
    state::ViewState,
    widgets::{Columns, Parts, Text},
};

/// Fetches a text, such as `chapters/follow`, in the page's language, and provides it to the components below.
pub fn provide_text(text: impl Fn() -> String + Send + Sync + 'static) {
    Text::provide(fetched(text), columns());
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
