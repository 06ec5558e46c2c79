//! The open chapter, the reader's progress in it, and the parameters of all chapters.

use super::{
    parameters::{AllParameters, Parameters, Registry, Span, registry},
    quiz::Quiz,
    reader::Reader,
    reading::Reading,
    writer::Writer,
};

/// Everything that determines the content of the chapters.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapters {
    /// The key of the open chapter; an unknown one means the first.
    pub open: String,
    /// The stage of the open chapter's figure, from 0; a number that is too large stands for the last.
    pub stage: usize,
    /// The reader's progress in the open chapter.
    pub reading: Reading,
    /// The answers to the chapters' tests.
    pub quiz: Quiz,
    parameters: AllParameters,
}

impl Default for Chapters {
    fn default() -> Self {
        Chapters {
            open: registry().first.to_owned(),
            stage: 0,
            reading: Reading::default(),
            quiz: Quiz::default(),
            parameters: AllParameters::default(),
        }
    }
}

impl Chapters {
    pub fn of<P: Parameters>(&self) -> &P {
        self.parameters.of()
    }

    /// Returns the parameters of a chapter, to be changed.
    pub fn of_mut<P: Parameters>(&mut self) -> &mut P {
        self.parameters.of_mut()
    }

    pub(super) fn parameters(&self) -> &AllParameters {
        &self.parameters
    }

    /// Opens a chapter at its first stage, with nothing unfolded.
    pub fn open(&mut self, key: &str) {
        key.clone_into(&mut self.open);
        self.stage = 0;
        self.reading = Reading::default();
        self.quiz.forget_answers();
    }

    /// Resets everything that ends with `changed`.
    pub(super) fn leave(&mut self, changed: Span) {
        self.parameters.leave(changed);
        if matches!(changed, Span::Model | Span::Text) {
            self.reading.pairs = None;
            self.quiz.forget_answers();
        }
    }

    /// Copies from `before` the parameters of chapters that refer to a sentence.
    pub(super) fn come_back(&mut self, before: &Self) {
        self.parameters
            .come_back(&before.parameters, Span::Sentence);
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let Registry {
            first, first_once, ..
        } = registry();
        let unnamed = match first_once {
            Some(once) if (once.is_shown)(self) => once.chapter,
            _ => first,
        };
        fragment.text("chapter", &self.open, unnamed);
        fragment.index("stage", self.stage, 0);
        self.reading.write(fragment);
        self.quiz.write(fragment);
        self.parameters.write(fragment);
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let Registry {
            first, first_once, ..
        } = registry();
        let unnamed = match first_once {
            Some(once) if (once.is_meant)(fragment) => once.chapter,
            _ => first,
        };
        Chapters {
            open: fragment.get("chapter").unwrap_or(unnamed).to_owned(),
            stage: fragment.index("stage").unwrap_or_default(),
            reading: Reading::read(fragment),
            quiz: Quiz::read(fragment),
            parameters: AllParameters::read(fragment),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::{quiz::tests::quiz, reading::tests::reading, values::AddressValue};

    /// Generates an arbitrary value of a choice.
    pub fn choice<T: AddressValue + std::fmt::Debug>() -> impl Strategy<Value = T> {
        let values = T::values();
        (0..values.len()).prop_map(move |index| values[index].0)
    }

    prop_compose! {
        /// Generates chapters without parameters, whose types are in the crate of the chapters.
        pub fn chapters()(
            open in "[a-z]{0,8}", stage in any::<usize>(), reading in reading(), quiz in quiz(),
        ) -> Chapters {
            Chapters { open, stage, reading, quiz, ..Chapters::default() }
        }
    }

    #[test]
    fn a_chapter_opens_at_its_first_stage() {
        let mut chapters = Chapters {
            stage: 7,
            reading: Reading {
                pairs: Some(3),
                ..Reading::default()
            },
            ..Chapters::default()
        };
        chapters.open("scale");
        assert_eq!(chapters.open, "scale");
        assert_eq!(chapters.stage, 0);
        assert_eq!(chapters.reading, Reading::default());
    }
}
