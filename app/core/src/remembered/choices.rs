//! Choices of the visitor that last across visits: language, theme, size of type, and the library of programs.

use attention_trace::snippets::Library;

use super::storage::{read, write};
use crate::{
    i18n::Locale,
    language::preferred,
    state::{AddressValue, Theme, View},
};

const LANGUAGE: &str = "attention-scope.language";
/// The key of the theme; `boot.js` reads it too, so that the page does not flash.
const THEME: &str = "attention-scope.theme";
/// The key of the size of type; `boot.js` reads it too.
const LARGE: &str = "attention-scope.large";
const LIBRARY: &str = "attention-scope.code";
const ON: &str = "1";
const OFF: &str = "0";

/// Completes a view with the visitor's earlier choices where the address leaves them open. The language that the
/// visitor chose comes before the address's: a visitor who opens a link without having chosen one reads the language of
/// its sender.
pub fn complete(view: View) -> View {
    let language = language(
        read(LANGUAGE).and_then(|name| name.parse().ok()),
        view.language,
        preferred(),
    );
    let theme = match view.theme {
        Theme::Auto => read(THEME).and_then(|word| Theme::from_address_value(&word)),
        chosen => Some(chosen),
    };
    let library = match view.library == View::default().library {
        true => read(LIBRARY).and_then(|word| Library::from_address_value(&word)),
        false => None,
    };
    View {
        language,
        library: library.unwrap_or(view.library),
        theme: theme.unwrap_or(view.theme),
        large: view.large || read(LARGE).as_deref() == Some(ON),
        ..view
    }
}

/// The language of a view, from the visitor's own choice, the address's and the browser's. The browser's is in the
/// address too, unless it is what everybody else is shown: a link copied from there says what language it was read in.
fn language(own: Option<Locale>, linked: Option<Locale>, browser: Locale) -> Option<Locale> {
    let not_default = (browser != Locale::default()).then_some(browser);
    own.or(linked).or(not_default)
}

/// Stores the language for later visits.
pub fn keep_language(language: Locale) {
    write(LANGUAGE, language.as_ref());
}

/// Stores the size of type for later visits.
pub fn keep_large(large: bool) {
    write(LARGE, if large { ON } else { OFF });
}

/// Stores the library in which formulas are shown as code for later visits.
pub fn keep_library(library: Library) {
    write(LIBRARY, library.key());
}

/// Stores the theme for later visits.
pub fn keep_theme(theme: Theme) {
    write(THEME, theme.address_value());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_the_visitors_then_the_senders_then_the_browsers() {
        let (english, chinese) = (Locale::en, Locale::zh);
        assert_eq!(
            language(Some(english), Some(chinese), chinese),
            Some(english)
        );
        assert_eq!(language(None, Some(chinese), english), Some(chinese));
        assert_eq!(language(None, Some(english), chinese), Some(english));
        assert_eq!(language(None, None, chinese), Some(chinese));
        assert_eq!(language(None, None, english), None);
    }
}
