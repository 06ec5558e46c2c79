//! What a chapter says: HTML in parts, which the build made of Markdown, fetched when the chapter is
//! opened.

use std::{collections::HashMap, sync::Arc};

use js_sys::{JSON, Object, Reflect};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use crate::{
    assets, deployment,
    i18n::{t, use_i18n},
    language::current_language,
    state::{Chapter, Word},
};

/// The parts of a chapter by name, or why they could not be had.
type Parts = Result<Arc<HashMap<String, String>>, String>;

/// The open chapter's text in the page's language. A context.
#[derive(Clone, Copy)]
pub struct ChapterText(RwSignal<HashMap<String, Parts>>, Memo<String>);

impl ChapterText {
    /// Fetches the text of the chapter that is open and provides it to the components below.
    pub fn provide(open: Memo<Chapter>) -> Self {
        let texts = RwSignal::new(HashMap::new());
        let name = Memo::new(move |_| {
            let (chapter, language) = (open.get().word(), current_language().word());
            format!("chapters/{chapter}.{language}.json")
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            let name = name.get();
            if texts.with_untracked(|texts| matches!(texts.get(&name), Some(Ok(_)))) {
                return;
            }
            spawn_local(async move {
                let parts = fetch(&name).await;
                if parts.is_err() {
                    // Some hosts answer for a file that is gone with a page.
                    deployment::look();
                }
                texts.try_update(|texts| texts.insert(name, parts));
            });
        });
        let text = ChapterText(texts, name);
        provide_context(text);
        text
    }

    /// A part as HTML; `None` until the text is here, and where it has no such part.
    fn part(self, part: &str) -> Option<Result<String, String>> {
        let ChapterText(texts, name) = self;
        name.with(|name| {
            texts.with(|texts| match texts.get(name)? {
                Ok(parts) => parts.get(part).cloned().map(Ok),
                Err(reason) => Some(Err(reason.clone())),
            })
        })
    }
}

async fn fetch(name: &str) -> Parts {
    let failed = |error: JsValue| crate::engine::describe(&error);
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

/// Numbers and words for the places `{{name}}` of a part.
pub type Values = Vec<(&'static str, String)>;

/// A part of the open chapter's text.
#[component]
pub fn Prose(
    /// Which.
    #[prop(into)]
    part: Signal<&'static str>,
    /// What stands in its places; until it is there, nothing is shown.
    #[prop(into, optional)]
    values: Option<Signal<Option<Values>>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let text = expect_context::<ChapterText>();
    move || {
        let values = match values {
            Some(values) => values.get()?,
            None => Values::new(),
        };
        Some(match text.part(part.get())? {
            Ok(html) => {
                view! { <div class="prose" inner_html=filled(&html, &values)></div> }.into_any()
            }
            Err(reason) if part.get() == "intro" => view! {
                <p class="notice problem">{t!(i18n, chapters.missing_text, reason = reason)}</p>
            }
            .into_any(),
            Err(_) => ().into_any(),
        })
    }
}

/// The HTML with values in its places. What a visitor typed may be among them, so nothing in a value
/// is taken for HTML.
fn filled(html: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(html.to_owned(), |html, (name, value)| {
        html.replace(&format!("{{{{{name}}}}}"), &escaped(value))
    })
}

/// The text as HTML that shows it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_their_places_and_are_never_html() {
        let values = [
            ("token", "<img src=x>".to_owned()),
            ("weight", "0.88".to_owned()),
        ];
        let html = filled("<p>{{token}}: {{weight}}, {{other}}</p>", &values);
        assert_eq!(html, "<p>&lt;img src=x&gt;: 0.88, {{other}}</p>");
    }
}
