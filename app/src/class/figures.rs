//! The figures of the open chapter, found on the page: the style sheet shows the one that is presented, alone.

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, MutationObserver, MutationObserverInit};

use super::turn::Of;

/// What a chapter consists of besides text, questions and controls: parts with a drawing or a table.
const FIGURES: &str = ".chapter > :not(.prose, .prompt, .kit, nav):has(canvas, svg, table)";
/// Where they appear.
const PANEL: &str = "tab-panel";
/// The mark of the one that is presented.
const MARK: &str = "data-presented";
/// What the presented one is called, where it does not say so itself.
const TITLE: &str = "data-title";
/// What says of a figure what it is.
const OWN_TITLES: &str = "h3, figcaption, caption";
/// How many stages a figure has.
const STAGES: &str = "data-stages";

fn figures() -> Vec<Element> {
    // Fails only for a selector that the browser does not know; then all of the chapter is shown.
    let Ok(found) = document().query_selector_all(FIGURES) else {
        return Vec::new();
    };
    let nodes = (0..found.length()).filter_map(|place| found.item(place));
    nodes.filter_map(|node| node.dyn_into().ok()).collect()
}

/// Marks a figure and no other, and returns how many there are. A number too large means the last.
fn mark(figure: usize) -> usize {
    let figures = figures();
    let shown = figure.min(figures.len().saturating_sub(1));
    for (place, element) in figures.iter().enumerate() {
        // Fails only for an attribute's name that is none.
        let _ = match place == shown {
            true => element.set_attribute(MARK, ""),
            false => element.remove_attribute(MARK),
        };
    }
    if let Some(element) = figures.get(shown) {
        // Observers hear of children alone, so that this does not call them.
        let _ = match title_before(element) {
            Some(title) => element.set_attribute(TITLE, &title),
            None => element.remove_attribute(TITLE),
        };
    }
    figures.len()
}

/// The heading of the text before a figure that has no title of its own.
fn title_before(figure: &Element) -> Option<String> {
    if figure.query_selector(OWN_TITLES).ok()?.is_some() {
        return None;
    }
    let mut before = figure.previous_element_sibling();
    while let Some(element) = before {
        if let Ok(Some(heading)) = element.query_selector("h3") {
            return heading.text_content();
        }
        before = element.previous_element_sibling();
    }
    None
}

/// How many stages the presented figure has, where it has some.
pub fn stages() -> Option<usize> {
    let shown = figures()
        .into_iter()
        .find(|figure| figure.has_attribute(MARK))?;
    shown.get_attribute(STAGES)?.parse().ok()
}

/// Keeps the presented figure marked as chapters and results come and go. Returns which of how many it is.
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
    watch(mark_again);
    on_cleanup(|| {
        for figure in figures() {
            // As above.
            let _ = figure.remove_attribute(MARK);
        }
    });
    Signal::derive(move || {
        let count = count.get();
        Of {
            number: figure.get().min(count.saturating_sub(1)),
            count,
        }
    })
}

/// Calls when elements come into the open tab or leave it, as long as the owner lives.
fn watch(changed: impl Fn() + 'static) {
    let on_change = Closure::<dyn Fn(Array)>::new(move |_| changed());
    let Some(panel) = document().get_element_by_id(PANEL) else {
        return;
    };
    // Every browser that runs the engine has the observer.
    let Ok(observer) = MutationObserver::new(on_change.as_ref().unchecked_ref()) else {
        return;
    };
    let options = MutationObserverInit::new();
    options.set_child_list(true);
    options.set_subtree(true);
    // Fails only for options that ask for nothing.
    let _ = observer.observe_with_options(&panel, &options);
    let held = StoredValue::new_local((observer, on_change));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| observer.disconnect());
    });
}
