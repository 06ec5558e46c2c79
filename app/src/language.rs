//! The page's language: the one chosen, else the browser's.

use leptos::prelude::*;

use crate::{
    i18n::{Locale, use_i18n},
    state::{Language, ViewState},
};

/// Keeps the translations in the view's language.
pub fn follow_language(state: ViewState) {
    let i18n = use_i18n();
    let chosen = state.select(|view| view.language);
    let locale = move || locale(chosen.get().unwrap_or_else(preferred));
    i18n.set_locale(untrack(locale));
    // An effect because the translations keep a signal of their own.
    Effect::new(move |_| i18n.set_locale(locale()));
}

/// The language in effect.
pub fn current_language() -> Language {
    match use_i18n().get_locale() {
        Locale::en => Language::English,
        Locale::zh => Language::Chinese,
    }
}

fn locale(language: Language) -> Locale {
    match language {
        Language::English => Locale::en,
        Language::Chinese => Locale::zh,
    }
}

fn preferred() -> Language {
    window()
        .navigator()
        .language()
        .map_or(Language::English, |tag| match_language(&tag))
}

fn match_language(tag: &str) -> Language {
    if tag.to_ascii_lowercase().starts_with("zh") {
        Language::Chinese
    } else {
        Language::English
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_in_chinese_gets_chinese() {
        assert_eq!(match_language("zh-CN"), Language::Chinese);
        assert_eq!(match_language("ZH"), Language::Chinese);
        assert_eq!(match_language("fr-FR"), Language::English);
    }
}
