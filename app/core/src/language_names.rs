//! Names of languages in the page's language, as the browser knows them.

use js_sys::{Array, Intl::DisplayNames, Object, Reflect};
use leptos_i18n::Locale as _;
use wasm_bindgen::JsValue;

use crate::i18n::Locale;
use attention_protocol::OrLogged;

/// Returns the name of a language that a model's files call `code`, with the code: `French (Latin) · fra_Latn`. A code that
/// is no language tag, or whose name the browser does not know, is shown alone.
pub fn language_name(code: &str, locale: Locale) -> String {
    let name = tag(code).and_then(|tag| named(&tag, locale));
    match name {
        Some(name) => format!("{name} · {code}"),
        None => code.to_owned(),
    }
}

/// Returns the language's name by `Intl.DisplayNames`.
fn named(tag: &str, locale: Locale) -> Option<String> {
    let options = Object::new();
    for (key, value) in [("type", "language"), ("fallback", "none")] {
        Reflect::set(&options, &key.into(), &value.into()).or_logged("naming a language")?;
    }
    let locales = Array::of1(&JsValue::from_str(locale.as_str()));
    let name = DisplayNames::new(&locales, &options).of(tag)?;
    Some(name.into())
}

/// Returns the code as a tag of BCP 47: a language, and a script or a region; `None` if it is none, at which the browser
/// would throw. The region of mBART's codes, `XX`, stands for none.
fn tag(code: &str) -> Option<String> {
    let (language, rest) = match code.split_once(['_', '-']) {
        Some((language, rest)) => (language, Some(rest).filter(|rest| *rest != "XX")),
        None => (code, None),
    };
    let are_letters = |text: &str| text.chars().all(|c| c.is_ascii_alphabetic());
    let fits = |text: &str, lengths: &[usize]| lengths.contains(&text.len()) && are_letters(text);
    match rest {
        None => fits(language, &[2, 3]).then(|| language.to_owned()),
        Some(rest) => {
            (fits(language, &[2, 3]) && fits(rest, &[2, 4])).then(|| format!("{language}-{rest}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_reach_the_browser() {
        for (code, expected) in [
            ("fra_Latn", Some("fra-Latn")),
            ("zh", Some("zh")),
            ("zh-TW", Some("zh-TW")),
            ("en_XX", Some("en")),
            ("cmn_Hans", Some("cmn-Hans")),
            ("a", None),
            ("x_y_z", None),
            ("<7>", None),
            ("", None),
            ("法_国", None),
        ] {
            assert_eq!(tag(code).as_deref(), expected, "{code}");
        }
    }
}
