//! What the visitor chose for every visit: language and theme, kept in this browser alone.

use leptos::prelude::*;
use web_sys::Storage;

use crate::{
    i18n::Locale,
    state::{AddressValue, Theme, View},
};

const LANGUAGE: &str = "attention-scope.language";
/// `boot.js` reads it too, so that the page does not flash.
const THEME: &str = "attention-scope.theme";

/// A view with what an address leaves open as the visitor last chose it.
pub fn complete(view: View) -> View {
    let language = view.language.or_else(|| read(LANGUAGE)?.parse().ok());
    let theme = match view.theme {
        Theme::Auto => read(THEME).and_then(|word| Theme::from_address_value(&word)),
        chosen => Some(chosen),
    };
    View {
        language,
        theme: theme.unwrap_or(view.theme),
        ..view
    }
}

/// Keeps a language.
pub fn keep_language(language: Locale) {
    write(LANGUAGE, language.as_ref());
}

/// Keeps a theme.
pub fn keep_theme(theme: Theme) {
    write(THEME, theme.address_value());
}

/// `None` where the browser keeps nothing for this page.
fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}

fn read(name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

fn write(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // Fails where the storage is full: the choice then holds for this visit.
        let _ = storage.set_item(name, value);
    }
}
