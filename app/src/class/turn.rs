//! Where a key takes a presentation, as plain data.

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To what comes next.
    Forward,
    /// To what came before.
    Back,
    /// Out of presenter mode.
    Leave,
    /// The notes, or no notes.
    Notes,
}

impl Action {
    /// What a key does. Clickers send Page Up and Page Down.
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

/// One of several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Of {
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub count: usize,
}

impl Of {
    /// The one `by` places further on, if there is one. A number beyond the last means the last.
    fn neighbour(self, by: isize) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        let number = self.number.min(last).checked_add_signed(by)?;
        (number <= last).then_some(number)
    }
}

/// What is presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presented {
    /// The figure among those of the chapter.
    pub figure: Of,
    /// Its stage, where it has stages.
    pub stage: Option<Of>,
}

/// Where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// At another stage of the figure.
    Stage(usize),
    /// At another figure.
    Figure(usize),
    /// At another place: the route's next stop, or the next chapter.
    Place,
}

impl Presented {
    /// Where it goes on by one, forward or back: through a figure's stages, then to the next figure, then elsewhere.
    pub fn turned(self, by: isize) -> Turned {
        let stage = self.stage.and_then(|stage| stage.neighbour(by));
        let stage = stage.map(Turned::Stage);
        let figure = || self.figure.neighbour(by).map(Turned::Figure);
        stage.or_else(figure).unwrap_or(Turned::Place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn presented(figure: (usize, usize), stage: Option<(usize, usize)>) -> Presented {
        let of = |(number, count)| Of { number, count };
        Presented {
            figure: of(figure),
            stage: stage.map(of),
        }
    }

    #[test]
    fn stages_come_before_figures_and_figures_before_places() {
        assert_eq!(presented((0, 2), Some((3, 5))).turned(1), Turned::Stage(4));
        assert_eq!(presented((0, 2), Some((4, 5))).turned(1), Turned::Figure(1));
        assert_eq!(presented((1, 2), None).turned(1), Turned::Place);
        assert_eq!(presented((1, 2), None).turned(-1), Turned::Figure(0));
        assert_eq!(presented((0, 2), Some((0, 5))).turned(-1), Turned::Place);
        assert_eq!(presented((0, 0), None).turned(1), Turned::Place);
    }

    #[test]
    fn a_number_too_large_is_the_last() {
        assert_eq!(presented((9, 3), None).turned(-1), Turned::Figure(1));
        assert_eq!(presented((usize::MAX, 3), None).turned(1), Turned::Place);
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
        fn going_on_shows_every_stage_and_figure_once(figures in 1usize..6, stages in 1usize..6) {
            // The first figure has the stages.
            let (mut figure, mut stage, mut seen) = (0, 0, 1);
            loop {
                let of_stages = (figure == 0).then_some((stage, stages));
                match presented((figure, figures), of_stages).turned(1) {
                    Turned::Stage(to) => stage = to,
                    Turned::Figure(to) => figure = to,
                    Turned::Place => break,
                }
                seen += 1;
            }
            prop_assert_eq!(seen, stages + figures - 1);
        }
    }
}
