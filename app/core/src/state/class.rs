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
    /// The visitor's part in the class of a server.
    pub attendance: Attendance,
}

/// A visitor's part in the class of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Attendance {
    /// The visitor is in no class.
    #[default]
    Absent,
    /// The visitor sees the view of who leads.
    Follows,
    /// The visitor leads, by a token.
    Leads(String),
}

/// The entries of a visitor's part in a class, and their values.
const ATTENDANCE: &str = "class";
const FOLLOWS: &str = "follow";
const LEADS: &str = "lead";

impl Attendance {
    fn write(&self, fragment: &mut Writer) {
        match self {
            Attendance::Absent => {}
            Attendance::Follows => fragment.text(ATTENDANCE, FOLLOWS, ""),
            Attendance::Leads(token) => {
                fragment.text(ATTENDANCE, LEADS, "");
                fragment.text(LEADS, token, "");
            }
        }
    }

    fn read(fragment: &Reader) -> Self {
        let token = fragment.text(LEADS).unwrap_or_default().to_owned();
        let attendance = fragment.parsed(ATTENDANCE, |text| match text {
            FOLLOWS => Some(Attendance::Follows),
            LEADS => Some(Attendance::Leads(token)),
            _ => None,
        });
        attendance.unwrap_or_default()
    }
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
        self.attendance.write(fragment);
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        Class {
            route: fragment.get("route").unwrap_or_default().to_owned(),
            stop: fragment.number("stop").unwrap_or_default(),
            present: fragment.flag("present").unwrap_or_default(),
            figure: fragment.number("figure").unwrap_or_default(),
            notes: fragment.flag("notes").unwrap_or_default(),
            attendance: Attendance::read(fragment),
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
            server: self.server.clone(),
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
        there.class.attendance = self.class.attendance.clone();
        there.chapters.quiz.graded = self.chapters.quiz.graded.clone();
        there
    }

    /// Returns the view in which the visitor follows the one of who leads a class: with the visitor's own predictions,
    /// answers to tests and list of results besides.
    pub fn following(&self, shown: &str) -> View {
        let mut there = View {
            evidence: self.evidence.clone(),
            ..self.at_link(shown)
        };
        there.class.present = false;
        if there.chapters.open == self.chapters.open {
            let own = self.chapters.reading.predictions.clone();
            there.chapters.reading.predictions = own;
            there.chapters.quiz = self.chapters.quiz.clone();
        }
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
            attendance in prop_oneof![
                Just(Attendance::Absent),
                Just(Attendance::Follows),
                "[0-9a-f]{0,32}".prop_map(Attendance::Leads),
            ],
        ) -> Class {
            Class { route, stop, present, figure, notes, attendance }
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

    #[test]
    fn who_follows_keeps_predictions_appearance_and_device() {
        let mut own =
            View::from_fragment("tab=learn&chapter=follow&theme=dark&device=cpu&class=follow");
        own.chapters.reading.predict("key", "3");
        let mut shown = own.clone();
        shown.class.attendance = Attendance::Leads("0f".to_owned());
        shown.theme = Theme::Light;
        shown.chapters.reading.predictions.clear();
        shown.cell = Some(crate::state::Cell { query: 1, key: 2 });
        let followed = own.following(&shown.to_complete_fragment());
        assert_eq!(followed.cell, shown.cell);
        assert_eq!(followed.theme, Theme::Dark);
        assert_eq!(followed.class.attendance, Attendance::Follows);
        assert_eq!(
            followed.chapters.reading.predictions,
            own.chapters.reading.predictions
        );
        // Those of another chapter are of other questions.
        shown.chapters.open("scale");
        let elsewhere = own.following(&shown.to_complete_fragment());
        assert_eq!(elsewhere.chapters.open, "scale");
        assert!(elsewhere.chapters.reading.predictions.is_empty());
    }
}
