//! A visitor's progress in a chapter, as plain data.

use std::collections::BTreeMap;

use super::{reader::Reader, writer::Writer};

/// The separator between questions and predictions in the address.
const SEPARATOR: char = '_';
/// The longest prediction that is kept, in characters.
const LONGEST: usize = 16;

/// The unfolded parts of the open chapter, and the visible parts of its large matrices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The questions whose answers are shown, by their names in the text's parts.
    pub answers: Vec<String>,
    /// The predictions that the visitor made before the answer was shown, by question.
    pub predictions: BTreeMap<String, String>,
    /// The number of pairs that chapter "follow" has computed; `None` for the default, half of them.
    pub pairs: Option<usize>,
    /// The starts of the windows into large matrices, by the names of their axes; windows at the beginning are left
    /// out. Matrices that share an axis share its window.
    pub windows: BTreeMap<String, usize>,
}

impl Reading {
    /// Shows an answer, or hides it.
    pub fn set_answer(&mut self, question: &str, shown: bool) {
        self.answers.retain(|other| other != question);
        if shown {
            self.answers.push(question.to_owned());
        }
    }

    /// Stores a prediction without separators, cut to `LONGEST` characters; an empty one is deleted.
    pub fn predict(&mut self, question: &str, prediction: &str) {
        let kept = prediction.chars().filter(|&sign| sign != SEPARATOR);
        match kept.take(LONGEST).collect::<String>() {
            kept if kept.is_empty() => self.predictions.remove(question),
            kept => self.predictions.insert(question.to_owned(), kept),
        };
    }

    /// Moves the window over an axis to `start`.
    pub fn set_window(&mut self, axis: &str, start: usize) {
        match start {
            0 => self.windows.remove(axis),
            start => self.windows.insert(axis.to_owned(), start),
        };
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.list("answers", &self.answers);
        let predictions = self.predictions.iter();
        let predictions: Vec<_> = predictions
            .map(|(question, prediction)| format!("{question}{SEPARATOR}{prediction}"))
            .collect();
        fragment.text("predicted", &predictions.join(&SEPARATOR.to_string()), "");
        if let Some(pairs) = self.pairs {
            fragment.list("pairs", &[pairs]);
        }
        let windows = self.windows.iter();
        let windows: Vec<_> = windows
            .map(|(axis, start)| format!("{axis}.{start}"))
            .collect();
        fragment.list("windows", &windows);
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let mut reading = Reading {
            pairs: fragment.number("pairs"),
            ..Reading::default()
        };
        for question in fragment.elements("answers", &['.'], owned) {
            reading.set_answer(&question, true);
        }
        let predicted =
            fragment.groups_between("predicted", SEPARATOR, |[question, prediction]| {
                Some((owned(question)?, prediction.to_owned()))
            });
        for (question, prediction) in predicted {
            reading.predict(&question, &prediction);
        }
        let windows = fragment.groups("windows", |[axis, start]| {
            Some((owned(axis)?, start.parse().ok()?))
        });
        for (axis, start) in windows {
            reading.set_window(&axis, start);
        }
        reading
    }
}

/// Returns an owned name; `None` for an empty one.
fn owned(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn reading()(
            answers in prop::collection::btree_set("[a-z-]{1,8}", 0..4),
            predictions in prop::collection::btree_map("[a-z-]{1,8}", "[0-9.,%-]{1,8}", 0..4),
            pairs in proptest::option::of(any::<usize>()),
            windows in prop::collection::btree_map("[a-z_-]{1,8}", 1usize.., 0..4),
        ) -> Reading {
            Reading { answers: answers.into_iter().collect(), predictions, pairs, windows }
        }
    }

    #[test]
    fn an_answer_is_shown_once_or_not_at_all() {
        let mut reading = Reading::default();
        reading.set_answer("predict-key", true);
        reading.set_answer("predict-key", true);
        assert_eq!(reading.answers, ["predict-key"]);
        reading.set_answer("predict-key", false);
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn a_prediction_is_kept_until_it_is_emptied() {
        let mut reading = Reading::default();
        reading.predict("ask-weight", "0_9.5");
        assert_eq!(reading.predictions["ask-weight"], "09.5");
        reading.predict("ask-weight", "");
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn a_window_at_the_beginning_is_left_out() {
        let mut reading = Reading::default();
        reading.set_window("width", 64);
        assert_eq!(reading.windows["width"], 64);
        reading.set_window("width", 0);
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn windows_and_answers_are_spelled_plainly() {
        let view = crate::state::View::from_fragment(
            "windows=width.64.keys.8&answers=predict-key&pairs=0&predicted=ask-weight_0.97",
        );
        let reading = &view.chapters.reading;
        assert_eq!(reading.windows["width"], 64);
        assert_eq!(reading.windows["keys"], 8);
        assert_eq!(reading.answers, ["predict-key"]);
        assert_eq!(reading.predictions["ask-weight"], "0.97");
        assert_eq!(reading.pairs, Some(0));
    }
}
