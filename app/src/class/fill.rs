//! The size of a presented figure: the largest at which nothing of it is cut off.

use std::iter::once;

use attention_protocol::OrLogged;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The selector of elements that scroll sideways if they are wider than their room.
const SCROLLERS: &str = ".table-scroll, .matrix-scroll, [role=region]";
/// The attribute with the room that a figure fills, in which its size can only shrink: a drawing that follows the size
/// would otherwise change it endlessly. Style sheets give the figure its height where the attribute is set.
const FILLS: &str = "data-fills";
/// The CSS property with the factor by which a figure is larger than on the page.
const SCALE: &str = "--scale";
/// The CSS property with the figure's share of the room's width.
const SHARE: &str = "--share";
/// The CSS property with the height of the room.
const ROOM: &str = "--room";

/// The size of a presented figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// The factor by which the figure is larger than on the page, in tenths.
    scale: u8,
    /// The share of the room's width, in per cent.
    share: u8,
}

impl Size {
    /// The size of a figure that fits at no size: it scrolls, and its type is as large as on the page.
    const OF_LONG: Self = Size {
        scale: 8,
        share: 100,
    };

    /// Returns all sizes, the best first. In a narrower figure a drawing is less high.
    fn all() -> impl Iterator<Item = Self> {
        [100, 85, 70, 55].into_iter().flat_map(|share| {
            let scales = (6..=20).rev();
            scales.map(move |scale| Size { scale, share })
        })
    }

    /// Returns the sizes to be tried: the present size, if there is one, and those after it.
    fn from(present: Option<Self>) -> impl Iterator<Item = Self> {
        Self::all().skip_while(move |&size| present.is_some_and(|present| size != present))
    }

    fn apply(self, figure: &HtmlElement) {
        set(figure, SCALE, &(f64::from(self.scale) / 10.0).to_string());
        set(figure, SHARE, &(f64::from(self.share) / 100.0).to_string());
    }

    fn of(figure: &HtmlElement) -> Option<Self> {
        let number = |name, unit: f64| {
            let value = figure
                .style()
                .get_property_value(name)
                .or_logged("reading a figure's size")?;
            Some((value.parse::<f64>().ok()? * unit).round() as u8)
        };
        Some(Size {
            scale: number(SCALE, 10.0)?,
            share: number(SHARE, 100.0)?,
        })
    }
}

/// Makes a figure fill the room of its chapter.
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
    figure
        .set_attribute(FILLS, &size)
        .or_logged("sizing a figure");
}

/// Allows a figure to grow again after its contents have changed.
pub fn forget_size(figure: &Element) {
    remove(figure, FILLS);
}

/// Restores the figure's size on the page.
pub fn unfill(figure: &HtmlElement) {
    remove(figure, FILLS);
    for name in [SCALE, SHARE, ROOM] {
        figure
            .style()
            .remove_property(name)
            .or_logged("sizing a figure");
    }
}

/// Returns true if a figure is no higher than the room, and nothing extends beyond it.
fn is_within(figure: &HtmlElement, room: &Element, tenths: u8) -> bool {
    let height = f64::from(figure.scroll_height()) * f64::from(tenths) / 10.0;
    height <= f64::from(room.client_height()) + 1.0 && !sticks_out(figure)
}

/// Returns true if something in a figure has to be scrolled sideways.
fn is_cut_off(figure: &HtmlElement) -> bool {
    let Some(found) = figure
        .query_selector_all(SCROLLERS)
        .or_logged("finding what scrolls")
    else {
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
    figure
        .style()
        .set_property(name, value)
        .or_logged("sizing a figure");
}

fn remove(figure: &Element, name: &str) {
    figure.remove_attribute(name).or_logged("sizing a figure");
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
