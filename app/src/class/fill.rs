//! The size at which a presented figure fills its room: the largest at which nothing of it is cut off.

use std::iter::once;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Elements that scroll sideways where they are wider than their room.
const SCROLLERS: &str = ".table-scroll, .matrix-scroll, [role=region]";
/// The room that a figure was made to fill, for which its size only shrinks: a drawing that follows the size would have it
/// change for ever. Style sheets give the figure its height where it is set.
const FILLS: &str = "data-fills";
/// Factor by which a figure is larger than on the page.
const SCALE: &str = "--scale";
/// Share of the room's width that it takes.
const SHARE: &str = "--share";
/// The room's height.
const ROOM: &str = "--room";

/// Size of a presented figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// Factor by which it is larger than on the page, in tenths.
    scale: u8,
    /// Share of the room's width, in per cent.
    share: u8,
}

impl Size {
    /// Where none fits, the figure scrolls at this one: its type is still as large as on the page.
    const OF_LONG: Self = Size {
        scale: 8,
        share: 100,
    };

    /// All sizes, from the best. In a narrower figure a drawing is less high.
    fn all() -> impl Iterator<Item = Self> {
        [100, 85, 70, 55].into_iter().flat_map(|share| {
            let scales = (6..=20).rev();
            scales.map(move |scale| Size { scale, share })
        })
    }

    /// Those that are tried where a figure has a size already: it, and what comes after it.
    fn from(present: Option<Self>) -> impl Iterator<Item = Self> {
        Self::all().skip_while(move |&size| present.is_some_and(|present| size != present))
    }

    fn apply(self, figure: &HtmlElement) {
        set(figure, SCALE, &(f64::from(self.scale) / 10.0).to_string());
        set(figure, SHARE, &(f64::from(self.share) / 100.0).to_string());
    }

    fn of(figure: &HtmlElement) -> Option<Self> {
        let number = |name, unit: f64| {
            let value = figure.style().get_property_value(name).ok()?;
            Some((value.parse::<f64>().ok()? * unit).round() as u8)
        };
        Some(Size {
            scale: number(SCALE, 10.0)?,
            share: number(SHARE, 100.0)?,
        })
    }
}

/// Has a figure fill the room of its chapter.
pub fn fill(figure: &HtmlElement) {
    let Some(room) = figure.parent_element() else {
        return;
    };
    let size = format!("{} {}", room.client_width(), room.client_height());
    let fills = figure.get_attribute(FILLS);
    let present = Size::of(figure).filter(|_| fills.as_deref() == Some(&size));
    // Otherwise the figure would be as high as the room whatever is in it.
    remove(figure, FILLS);
    let fits = |wide| {
        Size::from(present).find(|size| {
            size.apply(figure);
            is_within(figure, &room, size.scale) && (wide || !is_cut_off(figure))
        })
    };
    let found = fits(false).or_else(|| fits(true));
    found.unwrap_or(Size::OF_LONG).apply(figure);
    set(figure, ROOM, &format!("{}px", room.client_height()));
    // Fails only for an attribute's name that is none.
    let _ = figure.set_attribute(FILLS, &size);
}

/// Lets a figure grow again, as another picture is in it.
pub fn forget_size(figure: &Element) {
    remove(figure, FILLS);
}

/// A figure as it is on the page.
pub fn unfill(figure: &HtmlElement) {
    remove(figure, FILLS);
    for name in [SCALE, SHARE, ROOM] {
        // Fails only for a name that is none.
        let _ = figure.style().remove_property(name);
    }
}

/// True if a figure is no higher than the room, and nothing sticks out of it.
fn is_within(figure: &HtmlElement, room: &Element, tenths: u8) -> bool {
    let height = f64::from(figure.scroll_height()) * f64::from(tenths) / 10.0;
    height <= f64::from(room.client_height()) + 1.0 && !sticks_out(figure)
}

/// True if something in a figure has to be scrolled sideways.
fn is_cut_off(figure: &HtmlElement) -> bool {
    let Ok(found) = figure.query_selector_all(SCROLLERS) else {
        return false;
    };
    let elements = (0..found.length()).filter_map(|place| found.item(place)?.dyn_into().ok());
    let itself = once(figure.clone().into());
    elements
        .chain(itself)
        .any(|element: Element| sticks_out(&element))
}

fn sticks_out(element: &Element) -> bool {
    element.scroll_width() > element.client_width() + 1
}

fn set(figure: &HtmlElement, name: &str, value: &str) {
    // Fails only for a name that is none.
    let _ = figure.style().set_property(name, value);
}

fn remove(figure: &Element, name: &str) {
    // As above.
    let _ = figure.remove_attribute(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_has_a_size_never_grows() {
        let all: Vec<_> = Size::all().collect();
        assert!(Size::from(None).eq(all.iter().copied()));
        for (place, &size) in all.iter().enumerate() {
            assert!(Size::from(Some(size)).eq(all[place..].iter().copied()));
        }
    }

    #[test]
    fn the_size_of_a_long_figure_is_one_of_all() {
        assert!(Size::all().any(|size| size == Size::OF_LONG));
    }
}
