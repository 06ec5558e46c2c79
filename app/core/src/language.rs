//! The page's language: the view's, or else the browser's.

use leptos::prelude::*;
use leptos_i18n::Locale as _;

use crate::{
    i18n::{Locale, use_i18n},
    state::ViewState,
};

/// Keeps the translations in step with the view's language.
pub fn follow_language(state: ViewState) {
    let i18n = use_i18n();
    let chosen = state.select(|view| view.language);
    let locale = move || chosen.get().unwrap_or_else(preferred);
    i18n.set_locale(untrack(locale));
    // An effect because the translations keep a signal of their own.
    Effect::new(move |_| i18n.set_locale(locale()));
}

pub fn current_language() -> Locale {
    use_i18n().get_locale()
}

/// Returns the language after this one, in a cycle through the page's languages.
pub fn next_language(locale: Locale) -> Locale {
    let mut following = Locale::get_all()
        .iter()
        .cycle()
        .skip_while(|&&other| other != locale);
    following.nth(1).copied().unwrap_or(locale)
}

/// Returns the browser's language, or the nearest that the page has.
pub fn preferred() -> Locale {
    window()
        .navigator()
        .language()
        .map_or(Locale::default(), |tag| match_language(&tag))
}

fn match_language(tag: &str) -> Locale {
    let tag = tag.to_ascii_lowercase();
    let mut locales = Locale::get_all().iter();
    let found = locales.find(|locale| tag.starts_with(locale.as_str()));
    found.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_in_chinese_gets_chinese() {
        assert_eq!(match_language("zh-CN"), Locale::zh);
        assert_eq!(match_language("ZH"), Locale::zh);
        assert_eq!(match_language("fr-FR"), Locale::en);
    }

    #[test]
    fn languages_follow_each_other_in_a_circle() {
        assert_eq!(next_language(Locale::en), Locale::zh);
        assert_eq!(next_language(Locale::zh), Locale::en);
    }
}
