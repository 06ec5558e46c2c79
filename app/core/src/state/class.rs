//! Teaching with the page, as plain data: the open route, and the display on a projector.

use super::{reader::Reader, view::View, writer::Writer};

/// A lesson's route and presenter mode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    /// The name of the open route; empty if there is none.
    pub route: String,
    /// The stop of the route, from 0; a number that is too large stands for the last.
    pub stop: usize,
    /// True while one figure at a time fills the screen.
    pub present: bool,
    /// The figure of the chapter that is presented, from 0; a number that is too large stands for the last.
    pub figure: usize,
    /// True if the teacher's notes are shown while presenting.
    pub notes: bool,
}

impl Class {
    /// True while a presentation or a route is on screen.
    pub fn is_on(&self) -> bool {
        self.present || !self.route.is_empty()
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.text("route", &self.route, "");
        fragment.number("stop", self.stop, 0);
        fragment.number("present", u8::from(self.present), 0);
        fragment.number("figure", self.figure, 0);
        fragment.number("notes", u8::from(self.notes), 0);
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        Class {
            route: fragment.get("route").unwrap_or_default().to_owned(),
            stop: fragment.number("stop").unwrap_or_default(),
            present: fragment.flag("present").unwrap_or_default(),
            figure: fragment.number("figure").unwrap_or_default(),
            notes: fragment.flag("notes").unwrap_or_default(),
        }
    }
}

impl View {
    /// Returns the view that a link opens for this visitor: the link's view with the visitor's own language, appearance
    /// and device. The text and its model are also the visitor's, unless the link names one of them.
    pub fn at_link(&self, link: &str) -> View {
        let reader = Reader::new(link);
        let names_text = ["model", "text"]
            .into_iter()
            .any(|name| reader.get(name).is_some());
        let there = View {
            language: self.language,
            theme: self.theme,
            large: self.large,
            columns: self.columns,
            library: self.library,
            device: self.device,
            ..View::from_fragment(link)
        };
        let mut there = match names_text {
            true => there,
            false => View {
                model: self.model,
                text: self.text.clone(),
                sentence: self.sentence,
                search: self.search,
                ..there
            },
        };
        there.class.present = self.class.present;
        there.class.notes = self.class.notes;
        there.chapters.quiz.graded = self.chapters.quiz.graded.clone();
        there
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::{Model, Tab, Theme};

    prop_compose! {
        pub fn class()(
            route in "[a-z]{0,8}",
            (stop, figure) in any::<(usize, usize)>(),
            (present, notes) in any::<(bool, bool)>(),
        ) -> Class {
            Class { route, stop, present, figure, notes }
        }
    }

    fn visitor() -> View {
        let mut view = View {
            text: "Bonjour .".to_owned(),
            theme: Theme::Dark,
            large: true,
            step: 3,
            ..View::default()
        };
        view.class.present = true;
        view
    }

    #[test]
    fn a_link_keeps_the_visitors_sentence_and_looks() {
        let there = visitor().at_link("tab=learn&chapter=scale&route=ninety&stop=2");
        assert_eq!((there.tab, there.text.as_str()), (Tab::Learn, "Bonjour ."));
        assert_eq!(
            (there.theme, there.large, there.step),
            (Theme::Dark, true, 0)
        );
        assert!(there.class.present);
        assert_eq!(
            (there.class.route.as_str(), there.class.stop),
            ("ninety", 2)
        );
    }

    #[test]
    fn a_link_with_a_model_or_a_text_brings_its_own() {
        let there = visitor().at_link("model=sentences&show=next");
        let sentences: Model = "sentences".parse().unwrap();
        assert_eq!(there.model, sentences);
        assert_eq!(there.text, sentences.first_text());
        assert_eq!(visitor().at_link("text=Oui").text, "Oui");
    }
}
