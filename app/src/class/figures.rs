//! The figures of the open chapter, found on the page: the style sheet displays only the presented one.

use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{
    fill::{fill, forget_size, unfill},
    turn::Of,
};
use attention_core::widgets::watch_children;
use attention_protocol::OrLogged;

/// The selector of a chapter's figures: parts with a drawing or a table, without text, questions and controls.
const FIGURES: &str =
    ".chapter > :not(.prose, .prompt, .kit, nav, details):has(canvas, svg, table)";
/// The identifier of the element with the figures.
const PANEL: &str = "tab-panel";
/// The attribute that marks the presented figure.
const MARK: &str = "data-presented";
/// The attribute with the presented figure's title, if the figure has no heading of its own.
const TITLE: &str = "data-title";
/// The selector of a heading from the chapter's text inside a figure with a player.
const OWN_HEADING: &str = ".prose h3";
/// The selector of a section's heading.
const HEADING: &str = ":scope > h3";
/// The selector of the chapter's title.
const CHAPTER: &str = ".chapter-title";

fn figures() -> Vec<HtmlElement> {
    // Without them all of the chapter is shown.
    let Some(found) = document()
        .query_selector_all(FIGURES)
        .or_logged("finding the figures")
    else {
        return Vec::new();
    };
    let nodes = (0..found.length()).filter_map(|place| found.item(place));
    nodes.filter_map(|node| node.dyn_into().ok()).collect()
}

/// Marks one figure alone, makes it fill the screen, and returns the number of figures. A number that is too large
/// means the last.
fn mark(figure: usize) -> usize {
    let figures = figures();
    let shown = figure.min(figures.len().saturating_sub(1));
    for (place, element) in figures.iter().enumerate() {
        if place != shown {
            unmark(element);
        }
    }
    if let Some(element) = figures.get(shown) {
        // Observers hear of children alone, so that this does not call them.
        let marked = element.set_attribute(MARK, "");
        let titled = match title(element) {
            Some(title) => element.set_attribute(TITLE, &title),
            None => element.remove_attribute(TITLE),
        };
        marked.and(titled).or_logged("marking a figure");
        fill(element);
    }
    figures.len()
}

fn unmark(figure: &HtmlElement) {
    figure.remove_attribute(MARK).or_logged("marking a figure");
    unfill(figure);
}

/// Returns the heading of the figure's section, or the chapter's title; `None` if the figure has a heading of its own.
fn title(figure: &Element) -> Option<String> {
    if figure
        .query_selector(OWN_HEADING)
        .or_logged("finding a heading")?
        .is_some()
    {
        return None;
    }
    let mut before = figure.previous_element_sibling();
    while let Some(element) = before {
        if let Some(heading) = element
            .query_selector(HEADING)
            .or_logged("finding a heading")?
        {
            return heading.text_content();
        }
        before = element.previous_element_sibling();
    }
    let chapter = document()
        .query_selector(CHAPTER)
        .or_logged("finding a heading")??;
    chapter.text_content()
}

/// Moves the presented figure's player by a step forward or back; returns `false` if it has no player or no such step.
pub fn play(by: isize) -> bool {
    let direction = if by > 0 { "forward" } else { "back" };
    let button = format!("[data-step={direction}]:not([aria-disabled=true])");
    let Some(figure) = figures()
        .into_iter()
        .find(|figure| figure.has_attribute(MARK))
    else {
        return false;
    };
    let button = figure
        .query_selector(&button)
        .or_logged("finding a player")
        .flatten();
    let Some(Ok(button)) = button.map(JsCast::dyn_into::<HtmlElement>) else {
        return false;
    };
    forget_size(&figure);
    button.click();
    true
}

/// Keeps the presented figure marked as chapters, results and the window's size change. Returns its number and the
/// number of figures.
pub fn keep_marked(figure: Memo<usize>) -> Signal<Of> {
    let count = RwSignal::new(0);
    let mark_again = move || {
        let found = mark(figure.try_get_untracked().unwrap_or_default());
        if count.try_get_untracked() != Some(found) {
            count.try_set(found);
        }
    };
    // An effect because the figures' elements lie outside the reactive graph.
    Effect::new(move |_| {
        figure.track();
        mark_again();
    });
    if let Some(panel) = document().get_element_by_id(PANEL) {
        watch_children(&panel, mark_again);
    }
    let resized = window_event_listener(ev::resize, move |_| mark_again());
    on_cleanup(move || {
        resized.remove();
        figures().iter().for_each(unmark);
    });
    Signal::derive(move || {
        let count = count.get();
        Of {
            number: figure.get().min(count.saturating_sub(1)),
            count,
        }
    })
}
