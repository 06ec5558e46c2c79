//! Prose: HTML in parts, which the build made of Markdown, with places for numbers.

use std::{collections::HashMap, sync::Arc};

use html_escape::encode_double_quoted_attribute;
use leptos::prelude::*;

use crate::i18n::{t, use_i18n};

/// The parts of a text by name, or why they could not be fetched.
pub type Parts = Result<Arc<HashMap<String, String>>, String>;

/// The text whose parts are shown, `None` until it is loaded. A context.
#[derive(Clone, Copy)]
pub struct Text(Signal<Option<Parts>>);

impl Text {
    /// Provides the text to the components below.
    pub fn provide(text: Signal<Option<Parts>>) {
        provide_context(Text(text));
    }

    /// A part as HTML; `None` until the text is loaded, and where it has no such part.
    fn part(self, part: &str) -> Option<Result<String, String>> {
        match self.0.get()? {
            Ok(parts) => parts.get(part).cloned().map(Ok),
            Err(reason) => Some(Err(reason)),
        }
    }
}

/// Numbers and words for the places `{{name}}` of a part.
pub type Values = Vec<(&'static str, String)>;

/// A part of the text.
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
    let text = expect_context::<Text>();
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

/// Stands in a place that has no value yet.
const UNKNOWN: &str = "…";

/// The HTML with values in its places. What a visitor typed may be among them, so nothing in a value
/// is taken for HTML, nor for a place.
fn filled(html: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, name, after)) = next_place(rest) {
        let value = values.iter().find(|(other, _)| *other == name);
        filled.push_str(before);
        filled += &value.map_or(UNKNOWN.into(), |(_, value)| {
            encode_double_quoted_attribute(value)
        });
        rest = after;
    }
    filled + rest
}

/// What is before the first place `{{name}}`, its name, and what is after it.
fn next_place(html: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = html.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name, after))
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
        let html = filled("<p>{{token}}: {{weight}}</p>", &values);
        assert_eq!(html, "<p>&lt;img src=x&gt;: 0.88</p>");
    }

    #[test]
    fn a_place_without_a_value_shows_no_name() {
        assert_eq!(
            filled("<p>of {{total}} tokens</p>", &[]),
            "<p>of … tokens</p>"
        );
        let values = [("typed", "{{total}}".to_owned())];
        assert_eq!(filled("<p>{{typed}}</p>", &values), "<p>{{total}}</p>");
    }
}
