//! The position of a definition: at the words it explains, and inside the page.

/// Room between the words and the definition, and between the definition and the page's edges.
const GAP: f64 = 6.0;

/// The height up to which a definition may grow before it is better above its words.
const HEIGHT: f64 = 220.0;

/// The widest a definition becomes; `tip.css` holds it to the same.
const WIDTH: f64 = 360.0;

/// A rectangle of the window, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// The left edge of the rectangle.
    pub left: f64,
    /// The upper edge of the rectangle.
    pub top: f64,
    /// The lower edge of the rectangle.
    pub bottom: f64,
}

/// The visible part of the page, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub width: f64,
    pub height: f64,
    /// The distances that the page is scrolled to the right, and down.
    pub scrolled: (f64, f64),
}

/// A corner of the definition on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The left edge of the definition.
    pub left: f64,
    /// Its upper edge, or its lower one where it is above its words.
    pub top: f64,
    /// True if the definition is above its words.
    pub is_above: bool,
}

impl Place {
    /// The place of the definition of the words at `words`.
    pub fn at(words: Rect, window: Window) -> Self {
        let room = (window.width - WIDTH - GAP).max(GAP);
        let is_above = words.bottom + HEIGHT > window.height && words.top > HEIGHT;
        let edge = match is_above {
            true => words.top - GAP,
            false => words.bottom + GAP,
        };
        Place {
            left: words.left.clamp(GAP, room) + window.scrolled.0,
            top: edge + window.scrolled.1,
            is_above,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: Window = Window {
        width: 1440.0,
        height: 900.0,
        scrolled: (0.0, 0.0),
    };

    fn words(left: f64, top: f64) -> Rect {
        Rect {
            left,
            top,
            bottom: top + 20.0,
        }
    }

    #[test]
    fn a_definition_stands_below_its_words_where_there_is_room() {
        let place = Place::at(words(100.0, 200.0), WINDOW);
        assert_eq!(
            (place.left, place.top, place.is_above),
            (100.0, 226.0, false)
        );
    }

    #[test]
    fn at_the_foot_of_the_window_it_stands_above_them() {
        let place = Place::at(words(100.0, 860.0), WINDOW);
        assert_eq!((place.top, place.is_above), (854.0, true));
    }

    #[test]
    fn it_scrolls_with_the_page() {
        let scrolled = Window {
            scrolled: (0.0, 500.0),
            ..WINDOW
        };
        assert_eq!(Place::at(words(100.0, 200.0), scrolled).top, 726.0);
    }

    proptest! {
        #[test]
        fn it_never_sticks_out_at_a_side(left in -50.0..2000.0f64, width in 320.0..2000.0f64) {
            let place = Place::at(words(left, 10.0), Window { width, ..WINDOW });
            let drawn = WIDTH.min(width - 2.0 * GAP);
            prop_assert!(place.left >= GAP);
            prop_assert!(place.left + drawn <= width - GAP + 1e-9);
        }
    }
}
