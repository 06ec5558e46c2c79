//! The arrangement of the open chapter's figures beside its text, through marks that style sheets read.

use std::iter::successors;

use attention_core::widgets::watch_children;
use attention_protocol::OrLogged;
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{
    beside::follow_all,
    rows::{Kind, Placed, Row, Rows},
};

/// The selector of a chapter's sections, which have parts of their own.
pub(super) const SECTIONS: &str = ":scope > .chapter-section";
/// The selector of parts that need both columns, or frame the chapter.
const WIDE: &str =
    ".is-wide, .chapter-head, .kit, .chapter-section, .stages, .lacking, .notice, nav";
/// The selector of text from the chapter's file.
const TEXT: &str = ".prose, .prose-code, .snippet, .formula-forms";
/// The selector of a section's heading.
const HEADING: &str = ":scope > h3";
/// The selector of questions to the reader.
const QUESTION: &str = ".prompt";
/// The selector of elements whose class makes them figures, whatever their contents.
const FIGURE: &str = ".lesson-figure, .lesson-cards, .position-figures, .word-order, .sight";
/// The selector of elements that make their part a figure.
const DRAWING: &str = "canvas, svg, table";
/// The selector of elements that contain a drawing only while unfolded.
const FOLDED: &str = "details";

/// The attribute with a part's column, for style sheets.
const PLACE: &str = "data-place";
/// The CSS property with the rows occupied by a part.
const ROW: &str = "--row";
/// The CSS property with the place of a part in one column.
const ORDER: &str = "--order";
/// The CSS property with the rows of a chapter or a section.
const ROWS: &str = "--rows";

/// Keeps a chapter arranged as its parts are added and removed.
pub fn keep_arranged(article: NodeRef<html::Article>) {
    // An effect because the layout lies outside the reactive graph.
    Effect::new(move |_| {
        let Some(article) = article.get() else { return };
        arrange_all(&article);
        follow_all(&article);
        let watched = article.clone();
        watch_children(&article, move || {
            arrange_all(&watched);
            follow_all(&watched);
        });
    });
}

fn arrange_all(article: &HtmlElement) {
    arrange(article);
    let Some(sections) = article
        .query_selector_all(SECTIONS)
        .or_logged("finding the parts of a chapter")
    else {
        return;
    };
    for place in 0..sections.length() {
        if let Some(Ok(section)) = sections.item(place).map(JsCast::dyn_into) {
            arrange(&section);
        }
    }
}

fn arrange(parent: &HtmlElement) {
    let children = successors(parent.first_element_child(), Element::next_element_sibling);
    let parts: Vec<HtmlElement> = children.filter_map(|child| child.dyn_into().ok()).collect();
    let kinds: Vec<_> = parts.iter().map(|part| kind(part)).collect();
    let Rows {
        parts: placed,
        rows,
    } = Rows::of(&kinds);
    for (part, placed) in parts.iter().zip(placed) {
        mark(part, placed);
    }
    let rows: Vec<_> = rows.into_iter().map(height).collect();
    set(parent, ROWS, &rows.join(" "));
}

/// Returns the height of a row; nearly zero for the remaining room, so that only a part that spans the row makes it
/// high.
fn height(row: Row) -> &'static str {
    match row {
        Row::Filled => "auto",
        Row::Rest => "minmax(min-content, 0.001fr)",
    }
}

fn kind(part: &Element) -> Kind {
    let is = |selector| {
        part.matches(selector)
            .or_logged("reading the kind of a part")
            .unwrap_or(false)
    };
    let has = |selector| matches!(part.query_selector(selector), Ok(Some(_)));
    if is(WIDE) {
        Kind::Wide
    } else if is(TEXT) {
        match has(HEADING) {
            true => Kind::Heading,
            false => Kind::Text,
        }
    } else if is(QUESTION) {
        Kind::Question
    } else if is(FIGURE) || has(DRAWING) && !is(FOLDED) {
        Kind::Figure
    } else {
        Kind::Control
    }
}

fn mark(part: &HtmlElement, placed: Placed) {
    let place = placed.place.name();
    if part.get_attribute(PLACE).as_deref() != Some(place) {
        part.set_attribute(PLACE, place).or_logged("placing a part");
    }
    set(
        part,
        ROW,
        &format!("{} / span {}", placed.row + 1, placed.rows),
    );
    set(part, ORDER, &placed.order.to_string());
}

/// Sets a property of an element's style, unless it already has the value.
fn set(element: &HtmlElement, name: &str, value: &str) {
    let style = element.style();
    if style
        .get_property_value(name)
        .or_logged("placing a part")
        .as_deref()
        != Some(value)
    {
        style.set_property(name, value).or_logged("placing a part");
    }
}
