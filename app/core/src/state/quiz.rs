//! A chapter's test, taken before it is read and after, as plain data.

use std::collections::BTreeMap;

use super::{reader::Reader, writer::Writer};

/// The separator between two answers in the address.
const SEPARATOR: char = '_';
/// The longest answer that is kept, in characters.
const LONGEST: usize = 16;

/// The time at which a test is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sitting {
    /// Before the chapter is read.
    Before,
    /// After the chapter is read.
    After,
}

impl Sitting {
    /// Both sittings, in order.
    pub const ALL: [Self; 2] = [Sitting::Before, Sitting::After];

    /// Returns the sitting's name in the address.
    pub fn name(self) -> &'static str {
        match self {
            Sitting::Before => "before",
            Sitting::After => "after",
        }
    }
}

/// The answers to the chapters' tests, and their grades.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quiz {
    /// The answers of the open chapter in order, before and after; an empty one stands for no answer.
    given: [Vec<String>; 2],
    /// The correct answers before and after, by chapter: a bit for each question, the first the lowest; `None` if the
    /// test was not taken.
    pub graded: BTreeMap<String, [Option<u8>; 2]>,
}

impl Quiz {
    /// Returns the answer to a question, empty if there is none.
    pub fn given(&self, sitting: Sitting, question: usize) -> &str {
        let given = self.given[sitting as usize].get(question);
        given.map_or("", String::as_str)
    }

    /// Stores an answer without separators, cut to `LONGEST` characters.
    pub fn give(&mut self, sitting: Sitting, question: usize, answer: &str) {
        let given = &mut self.given[sitting as usize];
        if given.len() <= question {
            given.resize(question + 1, String::new());
        }
        let kept = answer.chars().filter(|&sign| sign != SEPARATOR);
        given[question] = kept.take(LONGEST).collect();
        trim(given);
    }

    /// Deletes the answers, which refer to a sentence or a chapter that is no longer there; the grades stay.
    pub fn forget_answers(&mut self) {
        self.given = Default::default();
    }

    /// Returns the correct answers of a chapter's test, a bit for each question; `None` if the test was not taken.
    pub fn right(&self, chapter: &str, sitting: Sitting) -> Option<u8> {
        self.graded.get(chapter)?[sitting as usize]
    }

    /// Stores the correct answers of a chapter's test.
    pub fn grade(&mut self, chapter: &str, sitting: Sitting, right: u8) {
        let graded = self.graded.entry(chapter.to_owned()).or_default();
        graded[sitting as usize] = Some(right);
    }

    /// Deletes a chapter's test, to be taken again.
    pub fn retake(&mut self, chapter: &str, sitting: Sitting) {
        self.given[sitting as usize].clear();
        if let Some(graded) = self.graded.get_mut(chapter) {
            graded[sitting as usize] = None;
            if *graded == [None; 2] {
                self.graded.remove(chapter);
            }
        }
    }

    /// Writes what differs from the default: `graded=follow.5.31.scale.x.7`.
    pub(super) fn write(&self, fragment: &mut Writer) {
        for sitting in Sitting::ALL {
            let given = self.given[sitting as usize].join(&SEPARATOR.to_string());
            fragment.text(sitting.name(), &given, "");
        }
        let mark =
            |right: &Option<u8>| right.map_or_else(|| "x".to_owned(), |right| right.to_string());
        let graded = self.graded.iter();
        let graded: Vec<_> = graded
            .map(|(chapter, [before, after])| format!("{chapter}.{}.{}", mark(before), mark(after)))
            .collect();
        fragment.list("graded", &graded);
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let mut quiz = Quiz::default();
        for sitting in Sitting::ALL {
            let given = fragment.get(sitting.name()).unwrap_or_default();
            for (question, answer) in given.split(SEPARATOR).take(MOST_QUESTIONS).enumerate() {
                quiz.give(sitting, question, answer);
            }
        }
        let graded = fragment.groups("graded", |[chapter, before, after]| {
            let marks = [before.parse().ok(), after.parse().ok()];
            let is_graded = !chapter.is_empty() && marks != [None; 2];
            is_graded.then(|| (chapter.to_owned(), marks))
        });
        quiz.graded.extend(graded);
        quiz
    }
}

/// The largest number of questions in a test: each has a bit.
pub const MOST_QUESTIONS: usize = 8;

/// Removes empty answers at the end.
fn trim(given: &mut Vec<String>) {
    let kept = given.iter().rposition(|answer| !answer.is_empty());
    given.truncate(kept.map_or(0, |last| last + 1));
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn quiz()(
            before in prop::collection::vec("[0-9.,%−-]{0,6}", 0..MOST_QUESTIONS),
            after in prop::collection::vec("[0-9]{0,2}", 0..MOST_QUESTIONS),
            marks in prop::collection::btree_map("[a-z]{1,8}", any::<[Option<u8>; 2]>(), 0..4),
        ) -> Quiz {
            let mut quiz = Quiz::default();
            for (sitting, given) in Sitting::ALL.into_iter().zip([before, after]) {
                for (question, answer) in given.iter().enumerate() {
                    quiz.give(sitting, question, answer);
                }
            }
            quiz.graded = marks;
            quiz.graded.retain(|_, marks| *marks != [None; 2]);
            quiz
        }
    }

    #[test]
    fn answers_and_what_was_right_are_spelled_plainly() {
        let view =
            crate::state::View::from_fragment("before=3_0.58__1&graded=follow.5.31.scale.x.7");
        let quiz = &view.chapters.quiz;
        assert_eq!(quiz.given(Sitting::Before, 1), "0.58");
        assert_eq!(quiz.given(Sitting::Before, 2), "");
        assert_eq!(quiz.given(Sitting::After, 0), "");
        assert_eq!(quiz.right("follow", Sitting::After), Some(31));
        assert_eq!(quiz.right("scale", Sitting::Before), None);
        assert_eq!(quiz.right("scale", Sitting::After), Some(7));
    }

    #[test]
    fn a_test_can_be_taken_again() {
        let mut quiz = Quiz::default();
        quiz.give(Sitting::Before, 0, "4");
        quiz.grade("follow", Sitting::Before, 1);
        quiz.grade("follow", Sitting::After, 31);
        quiz.retake("follow", Sitting::Before);
        assert_eq!(quiz.given(Sitting::Before, 0), "");
        assert_eq!(quiz.right("follow", Sitting::Before), None);
        assert_eq!(quiz.right("follow", Sitting::After), Some(31));
        quiz.retake("follow", Sitting::After);
        assert_eq!(quiz, Quiz::default());
    }

    #[test]
    fn an_answer_can_be_taken_back() {
        let mut quiz = Quiz::default();
        quiz.give(Sitting::After, 3, "0_5");
        assert_eq!(quiz.given(Sitting::After, 3), "05");
        quiz.give(Sitting::After, 3, "");
        assert_eq!(quiz, Quiz::default());
    }
}
