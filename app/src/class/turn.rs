//! The moves of a presentation by keys, as plain data.

/// An action requested by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Move to the next place.
    Forward,
    /// Move to the previous place.
    Back,
    /// Leave the presenter mode.
    Leave,
    /// Open or close the notes.
    Notes,
}

impl Action {
    /// Returns the action of a key. Clickers send Page Up and Page Down.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            " " | "ArrowRight" | "PageDown" => Some(Action::Forward),
            "ArrowLeft" | "PageUp" => Some(Action::Back),
            "Escape" => Some(Action::Leave),
            "n" | "N" => Some(Action::Notes),
            _ => None,
        }
    }
}

/// An item of a row of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of {
    /// The number of the item, from 0.
    pub number: usize,
    /// The number of items.
    pub count: usize,
}

impl Of {
    /// Returns the item `by` places further on, if there is one. A number beyond the last means the last.
    fn neighbour(self, by: isize) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        let number = self.number.min(last).checked_add_signed(by)?;
        (number <= last).then_some(number)
    }
}

/// The next place of a presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// Another figure of the chapter.
    Figure(usize),
    /// Another place: the route's next stop, or the next chapter.
    Place,
}

impl Of {
    /// Returns the next place of the presentation, forward or back: the next figure, or after the last one another
    /// place.
    pub fn turned(self, by: isize) -> Turned {
        self.neighbour(by).map_or(Turned::Place, Turned::Figure)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn figures_come_before_places() {
        let of = |number, count| Of { number, count };
        assert_eq!(of(0, 2).turned(1), Turned::Figure(1));
        assert_eq!(of(1, 2).turned(-1), Turned::Figure(0));
        assert_eq!(of(1, 2).turned(1), Turned::Place);
        assert_eq!(of(0, 2).turned(-1), Turned::Place);
        assert_eq!(of(0, 0).turned(1), Turned::Place);
    }

    #[test]
    fn a_number_too_large_is_the_last() {
        let of = |number| Of { number, count: 3 };
        assert_eq!(of(9).turned(-1), Turned::Figure(1));
        assert_eq!(of(usize::MAX).turned(1), Turned::Place);
    }

    #[test]
    fn keys_are_those_of_clickers_and_keyboards() {
        for key in [" ", "ArrowRight", "PageDown"] {
            assert_eq!(Action::of_key(key), Some(Action::Forward));
        }
        for key in ["ArrowLeft", "PageUp"] {
            assert_eq!(Action::of_key(key), Some(Action::Back));
        }
        assert_eq!(Action::of_key("ArrowDown"), None);
    }

    proptest! {
        #[test]
        fn going_on_shows_every_figure_once(count in 1usize..6) {
            let (mut number, mut seen) = (0, 1);
            while let Turned::Figure(next) = (Of { number, count }).turned(1) {
                (number, seen) = (next, seen + 1);
            }
            prop_assert_eq!(seen, count);
        }
    }
}
