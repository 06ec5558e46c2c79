//! The figures of the open chapter, found on the page: the style sheet shows the one that is presented, alone.

use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{
    fill::{fill, forget_size, unfill},
    turn::Of,
};
use attention_core::widgets::watch_children;

/// What a chapter consists of besides text, questions and controls: parts with a drawing or a table.
const FIGURES: &str =
    ".chapter > :not(.prose, .prompt, .kit, nav, details):has(canvas, svg, table)";
/// Where they appear.
const PANEL: &str = "tab-panel";
/// The mark of the one that is presented.
const MARK: &str = "data-presented";
/// What the presented one is called, where it does not say so itself.
const TITLE: &str = "data-title";
/// A heading out of the chapter's text, which a figure that plays has in it.
const OWN_HEADING: &str = ".prose h3";
/// The heading of a section.
const HEADING: &str = ":scope > h3";
/// The chapter's title.
const CHAPTER: &str = ".chapter-title";

fn figures() -> Vec<HtmlElement> {
    // Fails only for a selector that the browser does not know; then all of the chapter is shown.
    let Ok(found) = document().query_selector_all(FIGURES) else {
        return Vec::new();
    };
    let nodes = (0..found.length()).filter_map(|place| found.item(place));
    nodes.filter_map(|node| node.dyn_into().ok()).collect()
}

/// Marks a figure and no other, has it fill the screen, and returns how many there are. A number too large means the last.
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
        let _ = element.set_attribute(MARK, "");
        let _ = match title(element) {
            Some(title) => element.set_attribute(TITLE, &title),
            None => element.remove_attribute(TITLE),
        };
        fill(element);
    }
    figures.len()
}

fn unmark(figure: &HtmlElement) {
    // Fails only for an attribute's name that is none.
    let _ = figure.remove_attribute(MARK);
    unfill(figure);
}

/// The heading of the section of a figure that has none in it, or the chapter's.
fn title(figure: &Element) -> Option<String> {
    if figure.query_selector(OWN_HEADING).ok()?.is_some() {
        return None;
    }
    let mut before = figure.previous_element_sibling();
    while let Some(element) = before {
        if let Ok(Some(heading)) = element.query_selector(HEADING) {
            return heading.text_content();
        }
        before = element.previous_element_sibling();
    }
    let chapter = document().query_selector(CHAPTER).ok()??;
    chapter.text_content()
}

/// Plays the presented figure on by a step, or back; `false` where it has no player or no such step.
pub fn play(by: isize) -> bool {
    let direction = if by > 0 { "forward" } else { "back" };
    let button = format!("[data-step={direction}]:not([aria-disabled=true])");
    let Some(figure) = figures()
        .into_iter()
        .find(|figure| figure.has_attribute(MARK))
    else {
        return false;
    };
    let button = figure.query_selector(&button).ok().flatten();
    let Some(Ok(button)) = button.map(JsCast::dyn_into::<HtmlElement>) else {
        return false;
    };
    forget_size(&figure);
    button.click();
    true
}

/// Keeps the presented figure marked as chapters, results and the window's size change. Returns which of how many it is.
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
