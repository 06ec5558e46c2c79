//! Prose: HTML in parts, which the build made of Markdown, with places for numbers.

use std::{collections::HashMap, sync::Arc};

use html_escape::{decode_html_entities, encode_double_quoted_attribute};
use leptos::prelude::*;

use super::{CopyButton, snippet::Snippet};
use crate::i18n::{t, t_string, use_i18n};

/// The parts of a text by name, or why they could not be fetched.
pub type Parts = Result<Arc<HashMap<String, String>>, String>;

/// The text whose parts are shown. A context.
#[derive(Clone, Copy)]
pub struct Text {
    /// `None` until it is loaded.
    parts: Signal<Option<Parts>>,
    /// True if figures stand without the prose around them.
    captions_only: bool,
    columns: Columns,
}

/// The form of formulas that have two: vectors of tokens as rows, or as columns.
#[derive(Clone, Copy)]
pub struct Columns {
    /// True if they are columns.
    pub on: Signal<bool>,
    /// Called with the visitor's choice.
    pub set: Callback<bool>,
}

impl Text {
    /// Provides the text to the components below.
    pub fn provide(parts: Signal<Option<Parts>>, columns: Columns) {
        provide_context(Text {
            parts,
            captions_only: false,
            columns,
        });
    }

    /// Provides the text to figures that stand by themselves: captions are shown, prose and questions are not.
    pub fn provide_captions(parts: Signal<Option<Parts>>, columns: Columns) {
        provide_context(Text {
            parts,
            captions_only: true,
            columns,
        });
    }

    /// True if the figures below stand among prose.
    pub(super) fn has_prose() -> bool {
        !expect_context::<Text>().captions_only
    }

    /// A part as HTML; `None` until the text is loaded, and where it has no such part.
    fn part(self, part: &str) -> Option<Result<String, String>> {
        match self.parts.get()? {
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
    #[prop(into)] part: Signal<&'static str>,
    /// The values for the part's places; nothing is shown until they are available.
    #[prop(into, optional)]
    values: Option<Signal<Option<Values>>>,
    /// True if it belongs to a figure, wherever that stands.
    #[prop(optional)]
    is_caption: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let text = expect_context::<Text>();
    let is_left_out = text.captions_only && !is_caption;
    move || {
        if is_left_out {
            return None;
        }
        let values = match values {
            Some(values) => values.get()?,
            None => Values::new(),
        };
        Some(match text.part(part.get())? {
            Ok(html) => {
                let pieces = pieces(&filled(&html, &values));
                let shown = |piece| shown(piece, text.columns);
                pieces.into_iter().map(shown).collect_view().into_any()
            }
            Err(reason) if part.get() == "intro" => view! {
                <p class="notice problem">{t!(i18n, chapters.missing_text, reason = reason)}</p>
            }
            .into_any(),
            Err(_) => ().into_any(),
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Html(String),
    /// A block of code, as it is typed.
    Code(String),
    /// The switch between the two forms of the formulas before it.
    Forms,
    /// The program of the formulas before it, by its name.
    Program(String),
}

/// The class of a formula's form with columns.
const IN_COLUMNS: &str = "in-columns";

fn shown(piece: Piece, columns: Columns) -> AnyView {
    match piece {
        Piece::Html(html) => view! {
            <div class="prose" class:has-columns=move || columns.on.get() inner_html=html></div>
        }
        .into_any(),
        Piece::Code(code) => view! { <Code code /> }.into_any(),
        Piece::Forms => view! { <Forms columns /> }.into_any(),
        Piece::Program(name) => view! { <Snippet name /> }.into_any(),
    }
}

/// The button that turns formulas from rows to columns and back.
#[component]
fn Forms(columns: Columns) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <button
            type="button"
            class="plain-button formula-forms"
            data-testid="formula-columns"
            title=move || t_string!(i18n, chapters.columns_hint)
            aria-pressed=move || columns.on.get().to_string()
            on:click=move |_| columns.set.run(!columns.on.get_untracked())
        >
            {t!(i18n, chapters.columns)}
        </button>
    }
}

/// Text as pieces: after the paragraph with the last formula of two forms comes the switch between them.
fn with_forms(html: &str) -> Vec<Piece> {
    let text = |html: &str| (!html.trim().is_empty()).then(|| Piece::Html(html.to_owned()));
    let end = html.rfind(IN_COLUMNS).map(|last| {
        let paragraph = html[last..].find("</p>");
        paragraph.map_or(html.len(), |length| last + length + "</p>".len())
    });
    match end {
        None => text(html).into_iter().collect(),
        Some(end) => {
            let (before, after) = html.split_at(end);
            [text(before), Some(Piece::Forms), text(after)]
                .into_iter()
                .flatten()
                .collect()
        }
    }
}

/// A part with its blocks of code apart, which have a button.
fn pieces(html: &str) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), html);
    while let Some((before, block, after)) = next_block(rest) {
        pieces.extend(with_forms(before));
        pieces.push(Piece::Code(typed(block)));
        rest = after;
    }
    pieces.extend(with_forms(rest));
    pieces.into_iter().flat_map(with_programs).collect()
}

/// The mark after which a program's name stands, and the end of the name.
const PROGRAM: (&str, &str) = ("<hr data-snippet=\"", "\">");

/// A piece of text divided at the marks of programs, which the build made (`xtask/src/bundle/snippets.rs`).
fn with_programs(piece: Piece) -> Vec<Piece> {
    let Piece::Html(html) = piece else {
        return vec![piece];
    };
    let mut parts = html.split(PROGRAM.0);
    let text = |html: &str| (!html.trim().is_empty()).then(|| Piece::Html(html.to_owned()));
    let mut pieces: Vec<Piece> = parts.next().and_then(text).into_iter().collect();
    for (name, after) in parts.filter_map(|part| part.split_once(PROGRAM.1)) {
        pieces.push(Piece::Program(name.to_owned()));
        pieces.extend(text(after));
    }
    pieces
}

/// Returns the text before the first block of code, the block's contents, and the text after it.
fn next_block(html: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = html.split_once("<pre")?;
    let (_, rest) = rest.split_once('>')?;
    let (block, after) = rest.split_once("</pre>")?;
    Some((before, block, after))
}

/// The text of a block of code: without its tags.
fn typed(block: &str) -> String {
    let text: String = block
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text))
        .collect();
    decode_html_entities(text.trim_end()).into_owned()
}

/// Code, all of it in sight, and the button that copies it.
#[component]
fn Code(code: String) -> impl IntoView {
    let i18n = use_i18n();
    let copied = code.clone();
    view! {
        <div class="prose-code">
            <pre><code>{code}</code></pre>
            <CopyButton
                test_id="copy-code"
                text=move || copied.clone()
                name=Signal::derive(move || t_string!(i18n, shell.copy_answer).to_owned())
                copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                refused=Signal::derive(move || t_string!(i18n, shell.answer_not_copied).to_owned())
            />
        </div>
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

/// Returns the text before the first place `{{name}}`, its name, and the text after it.
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
    fn a_block_of_code_is_a_piece_of_its_own_as_it_is_typed() {
        let html = "<p>Run</p>\n<pre><code class=\"language-sh\">attn eval &lt; in.txt\n</code></pre>\n<p>it.</p>";
        let found = pieces(html);
        assert_eq!(
            found,
            [
                Piece::Html("<p>Run</p>\n".to_owned()),
                Piece::Code("attn eval < in.txt".to_owned()),
                Piece::Html("\n<p>it.</p>".to_owned()),
            ]
        );
        assert_eq!(pieces("<p>a</p>"), [Piece::Html("<p>a</p>".to_owned())]);
        assert_eq!(
            pieces("<pre><code>a</code></pre>"),
            [Piece::Code("a".to_owned())]
        );
    }

    #[test]
    fn the_switch_of_forms_follows_the_paragraph_of_the_last_formula() {
        let html = "<p>a</p>\n<p><span class=\"display-math in-columns\">b</span></p>\n<p>c</p>";
        let expected = [
            Piece::Html(
                "<p>a</p>\n<p><span class=\"display-math in-columns\">b</span></p>".to_owned(),
            ),
            Piece::Forms,
            Piece::Html("\n<p>c</p>".to_owned()),
        ];
        assert_eq!(pieces(html), expected);
    }

    #[test]
    fn a_program_stands_between_texts_and_after_the_switch_of_forms() {
        let formula = "<p><span class=\"display-math in-columns\">b</span></p>";
        let html = format!("{formula}<hr data-snippet=\"mask\"><p>c</p><hr data-snippet=\"sum\">");
        let expected = [
            Piece::Html(formula.to_owned()),
            Piece::Forms,
            Piece::Program("mask".to_owned()),
            Piece::Html("<p>c</p>".to_owned()),
            Piece::Program("sum".to_owned()),
        ];
        assert_eq!(pieces(&html), expected);
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
