//! The positions of figures during scrolling: a figure moves along with the text beside it, and a text with a longer
//! figure, down to the next part of its column.

use attention_protocol::OrLogged;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{DomRect, HtmlElement};

/// The selector of parts beside others, and of those that end a column.
const PARTS: &str = ":scope > [data-place]";
/// The attribute with a part's column, set by [`super::arrange`].
const PLACE: &str = "data-place";
/// The CSS property with a part's shift from its row, in CSS pixels.
const SHIFT: &str = "--shift";
/// The CSS property with the height of the bars at the top of the window.
const BELOW_BARS: &str = "--below-bars";
/// The gap between two parts of a column, in CSS pixels.
const GAP: f64 = 14.0;

/// Keeps figures beside the text being read as the window scrolls.
pub fn keep_beside(article: NodeRef<html::Article>) {
    let follow = move || {
        if let Some(article) = article.get_untracked() {
            follow_all(&article);
        }
    };
    let scrolled = window_event_listener(ev::scroll, move |_| follow());
    let resized = window_event_listener(ev::resize, move |_| follow());
    on_cleanup(move || {
        scrolled.remove();
        resized.remove();
    });
}

/// Updates the places of the parts of a chapter and of its sections.
pub fn follow_all(article: &HtmlElement) {
    // In one column nothing stands beside anything.
    let Some(top) = below_bars(article) else {
        return;
    };
    follow(article, top);
    let Some(sections) = article
        .query_selector_all(super::arrange::SECTIONS)
        .or_logged("finding the parts of a chapter")
    else {
        return;
    };
    for place in 0..sections.length() {
        if let Some(Ok(section)) = sections.item(place).map(JsCast::dyn_into) {
            follow(&section, top);
        }
    }
}

/// A part's place without its shift, in CSS pixels of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    top: f64,
    bottom: f64,
    column: Column,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Text,
    Figure,
    Both,
}

fn follow(parent: &HtmlElement, top: f64) {
    let Some(found) = parent
        .query_selector_all(PARTS)
        .or_logged("finding the parts of a chapter")
    else {
        return;
    };
    let elements: Vec<HtmlElement> = (0..found.length())
        .filter_map(|place| found.item(place)?.dyn_into().ok())
        .collect();
    let parts: Vec<Part> = elements.iter().map(lies).collect();
    let room = window()
        .inner_height()
        .or_logged("reading the window's height")
        .and_then(|it| it.as_f64());
    let room = room.unwrap_or(f64::INFINITY) - top;
    for (element, &part) in elements.iter().zip(&parts) {
        let shift = shift(part, &parts, top, room);
        let words = if shift > 0.0 {
            format!("{shift:.0}px")
        } else {
            String::new()
        };
        let style = element.style();
        if style
            .get_property_value(SHIFT)
            .or_logged("shifting a figure")
            .is_some_and(|before| before != words)
        {
            style
                .set_property(SHIFT, &words)
                .or_logged("shifting a figure");
        }
    }
}

fn lies(element: &HtmlElement) -> Part {
    let rect: DomRect = element.get_bounding_client_rect();
    let shift = pixels(
        &element
            .style()
            .get_property_value(SHIFT)
            .or_logged("shifting a figure")
            .unwrap_or_default(),
    );
    let shift = shift.unwrap_or(0.0);
    Part {
        top: rect.top() - shift,
        bottom: rect.bottom() - shift,
        column: match element.get_attribute(PLACE).as_deref() {
            Some("text") => Column::Text,
            Some("figure") => Column::Figure,
            _ => Column::Both,
        },
    }
}

/// Returns the part's shift, in CSS pixels: down to the top of the window, and not over the next part of its column. A
/// part higher than the window stays, since the rest of it could not be reached.
fn shift(part: Part, parts: &[Part], top: f64, room: f64) -> f64 {
    if part.column == Column::Both || part.bottom - part.top > room {
        return 0.0;
    }
    let below = parts.iter().filter(|other| {
        let shares = other.column == part.column || other.column == Column::Both;
        shares && other.top >= part.bottom - 1.0
    });
    let end = below
        .map(|other| other.top - GAP)
        .fold(f64::INFINITY, f64::min);
    // The last of its column goes along with the other column.
    let end = match end.is_finite() {
        true => end,
        false => parts
            .iter()
            .map(|other| other.bottom)
            .fold(part.bottom, f64::max),
    };
    (top - part.top).clamp(0.0, (end - part.bottom).max(0.0))
}

/// Returns the height of the bars, in CSS pixels; `None` if style sheets lay the chapter out in one column.
fn below_bars(article: &HtmlElement) -> Option<f64> {
    let style = window()
        .get_computed_style(article)
        .or_logged("reading the height of the bars")??;
    pixels(
        &style
            .get_property_value(BELOW_BARS)
            .or_logged("reading the height of the bars")?,
    )
}

fn pixels(words: &str) -> Option<f64> {
    words.trim().strip_suffix("px")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(column: Column, top: f64, bottom: f64) -> Part {
        Part {
            top,
            bottom,
            column,
        }
    }

    #[test]
    fn a_figure_goes_along_to_the_end_of_its_text() {
        let figure = part(Column::Figure, -300.0, -100.0);
        let parts = [
            part(Column::Text, -300.0, 500.0),
            figure,
            part(Column::Both, 514.0, 600.0),
        ];
        assert_eq!(shift(figure, &parts, 16.0, 700.0), 316.0);
        // 400 more have been scrolled: it ends where the text does.
        let up = |it: Part| part(it.column, it.top - 400.0, it.bottom - 400.0);
        assert_eq!(shift(up(figure), &parts.map(up), 16.0, 700.0), 600.0);
    }

    #[test]
    fn what_is_in_sight_or_higher_than_the_window_stays() {
        let figure = part(Column::Figure, 40.0, 200.0);
        let text = part(Column::Text, 40.0, 900.0);
        assert_eq!(shift(figure, &[text, figure], 16.0, 700.0), 0.0);
        let high = part(Column::Figure, -40.0, 900.0);
        assert_eq!(shift(high, &[high], 16.0, 700.0), 0.0);
    }

    proptest! {
        #[test]
        fn nothing_goes_over_the_next_part(
            scrolled in 0.0f64..5000.0, height in 10.0f64..600.0, gap in 0.0f64..900.0
        ) {
            let figure = part(Column::Figure, -scrolled, height - scrolled);
            let next = part(Column::Figure, figure.bottom + GAP + gap, figure.bottom + GAP + gap + 50.0);
            let shift = shift(figure, &[figure, next], 16.0, 700.0);
            prop_assert!(figure.bottom + shift <= next.top + 1e-9);
        }
    }
}
