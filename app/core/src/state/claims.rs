//! The tools that test a claim about a head, and the evidence that the visitor collects with them.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

use form_urlencoded::Serializer;

use super::{
    class::Class,
    flat,
    reader::Reader,
    values::AddressValue,
    view::{DeviceChoice, Theme, View},
    writer::Writer,
};

/// The name of the list's entry in an address.
const EVIDENCE: &str = "evidence";
/// The separator between entries in an address.
const BETWEEN_ENTRIES: char = '~';
/// The separator between the fields of an entry.
const BETWEEN_FIELDS: &str = "*.";
/// The length in bytes of the longest view that an entry keeps.
const LONGEST_VIEW: usize = 2000;

/// A tool of the inspector; one is open at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Switches chosen heads off.
    #[default]
    Off,
    /// Sets a weight of a head.
    Weight,
    /// Switches each head off alone, in turn.
    Importance,
    /// Measures the roles of heads, beside chance.
    Roles,
    /// Copies values computed in one run into another.
    Patch,
    /// Reads every layer as if it were the last.
    Lens,
    /// Changes the order of the tokens.
    Permute,
    /// Sets two maps side by side.
    Compare,
    /// Links words of source and target.
    Align,
    /// Shows maps derived from the weights beside the weights.
    Raw,
}

impl AddressValue for Tool {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// A kept result, with the view in which it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The tool that measured it.
    pub tool: Tool,
    /// The name that the visitor gave it.
    pub name: String,
    /// The result in words.
    pub result: String,
    /// The view, as a fragment.
    view: String,
}

/// The reason why a result cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    #[error("the list has {} entries", EvidenceList::MOST)]
    Full,
    /// The view, mostly its text, is too long for a link.
    #[error("the view is longer than {LONGEST_VIEW} bytes")]
    TooLong,
}

/// An entry of an address that is not valid evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no entry of the list of evidence")]
pub struct NoEvidence;

impl Evidence {
    /// The longest name, in characters.
    pub const LONGEST_NAME: usize = 60;
    /// The longest result, in characters.
    const LONGEST_RESULT: usize = 300;

    /// Creates an entry for a result measured in a view.
    ///
    /// # Errors
    /// [`NotKept::TooLong`] if the view does not fit into a link.
    pub fn new(tool: Tool, result: &str, view: &View) -> Result<Self, NotKept> {
        let view = view.measured().to_fragment();
        if view.len() > LONGEST_VIEW {
            return Err(NotKept::TooLong);
        }
        Ok(Evidence {
            tool,
            name: String::new(),
            result: in_one_line(result, Self::LONGEST_RESULT),
            view,
        })
    }

    /// Returns the view in which it was measured, without the visitor's own settings.
    pub fn view(&self) -> View {
        View::from_fragment(&self.view)
    }
}

/// Removes line breaks and other control characters from a text, and limits its length in characters.
fn in_one_line(text: &str, most: usize) -> String {
    let visible = text
        .chars()
        .map(|one| if one.is_control() { ' ' } else { one });
    let cut: String = visible.take(most).collect();
    cut.trim().to_owned()
}

impl View {
    /// Returns the part of the view that a measurement depends on: without language, appearance, lesson, answers, and
    /// the list itself.
    fn measured(&self) -> View {
        let mut view = View {
            evidence: EvidenceList::default(),
            class: Class::default(),
            language: None,
            theme: Theme::Auto,
            large: false,
            columns: false,
            library: View::default().library,
            device: DeviceChoice::Auto,
            server: None,
            ..self.clone()
        };
        view.chapters.quiz = Default::default();
        view
    }

    /// Returns the view of an entry, in the visitor's language and appearance, with the same list.
    pub fn reopened(&self, evidence: &Evidence) -> View {
        let mut view = View {
            evidence: self.evidence.clone(),
            class: self.class.clone(),
            language: self.language,
            theme: self.theme,
            large: self.large,
            columns: self.columns,
            library: self.library,
            device: self.device,
            server: self.server.clone(),
            ..evidence.view()
        };
        view.chapters.quiz = self.chapters.quiz.clone();
        view
    }
}

/// The results that are kept, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvidenceList(Vec<Evidence>);

impl EvidenceList {
    /// The largest number of entries in the list.
    pub const MOST: usize = 20;

    /// Iterates over the entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &Evidence> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, place: usize) -> Option<&Evidence> {
        self.0.get(place)
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// [`NotKept::Full`] if the list has no room for it.
    pub fn add(&mut self, evidence: Evidence) -> Result<(), NotKept> {
        if self.len() == Self::MOST {
            return Err(NotKept::Full);
        }
        self.0.push(evidence);
        Ok(())
    }

    pub fn remove(&mut self, place: usize) {
        if place < self.len() {
            self.0.remove(place);
        }
    }

    /// Gives an entry a new name.
    pub fn rename(&mut self, place: usize, name: &str) {
        if let Some(entry) = self.0.get_mut(place) {
            entry.name = in_one_line(name, Evidence::LONGEST_NAME);
        }
    }

    pub(super) fn write(&self, fragment: &mut Writer) {
        let entries: Vec<String> = self.iter().map(ToString::to_string).collect();
        fragment.text(EVIDENCE, &entries.join(&BETWEEN_ENTRIES.to_string()), "");
    }

    /// Reads a list written by [`write`](Self::write); invalid entries and those beyond the last place are refused.
    pub(super) fn read(reader: &Reader) -> Self {
        let count = std::cell::Cell::new(0);
        let entries = reader.elements(EVIDENCE, &[BETWEEN_ENTRIES], |entry| {
            let entry = entry.parse().ok().filter(|_| count.get() < Self::MOST)?;
            count.set(count.get() + 1);
            Some(entry)
        });
        EvidenceList(entries)
    }
}

/// Spells an entry by tool, name, result and view. The view's fragment is decoded there, since the address encodes the
/// whole once more.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = form_urlencoded::parse(self.view.as_bytes());
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{}={}", escaped(&name), escaped(&value)))
            .collect();
        let fields = [
            self.tool.address_value().to_owned(),
            escaped(&self.name),
            escaped(&self.result),
            pairs.join("&"),
        ];
        f.write_str(&fields.join(BETWEEN_FIELDS))
    }
}

impl FromStr for Evidence {
    type Err = NoEvidence;

    fn from_str(text: &str) -> Result<Self, NoEvidence> {
        read_entry(text).ok_or(NoEvidence)
    }
}

fn read_entry(text: &str) -> Option<Evidence> {
    let fields: Vec<&str> = text.split(BETWEEN_FIELDS).collect();
    let &[tool, name, result, view] = fields.as_slice() else {
        return None;
    };
    let (name, result) = (unescaped(name)?, unescaped(result)?);
    let (view, faults) = View::from_address(&fragment_of(view)?);
    let is_whole = name == in_one_line(&name, Evidence::LONGEST_NAME) && faults.is_empty();
    let tool = Tool::from_address_value(tool).filter(|_| is_whole)?;
    // `None` is reported as an entry that is not understood.
    let evidence = Evidence::new(tool, &result, &view).ok()?;
    (evidence.result == result).then_some(Evidence { name, ..evidence })
}

/// Encodes a view's fragment from its decoded form. A view in a list has no list of its own.
fn fragment_of(spelled: &str) -> Option<String> {
    let mut fragment = Serializer::new(String::new());
    for pair in spelled.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let name = unescaped(name).filter(|name| name != EVIDENCE)?;
        fragment.append_pair(&name, &unescaped(value)?);
    }
    Some(fragment.finish())
}

/// Escapes the characters that separate entries, fields and pairs.
fn escaped(text: &str) -> String {
    text.replace('*', "*-")
        .replace(BETWEEN_ENTRIES, "*t")
        .replace('&', "*a")
}

/// The inverse of [`escaped`].
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '*' => match letters.next()? {
                '-' => '*',
                't' => BETWEEN_ENTRIES,
                'a' => '&',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(plain)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::chapters::tests::choice;

    /// Views that cover the cases of the spelling in the address.
    const VIEWS: [&str; 4] = [
        "",
        "text=Je+suis+*%26~%3D+%C3%A9tudiant.&show=claim&tool=lens&step=2",
        "model=sentences&off=decoder.0.1&importance=1",
        "kind=encoder&layer=2&head=6&theme=dark&lang=en",
    ];

    pub fn evidence() -> impl Strategy<Value = EvidenceList> {
        let entry = (
            choice::<Tool>(),
            any::<String>(),
            any::<String>(),
            prop::sample::select(&VIEWS[..]),
        );
        prop::collection::vec(entry, 0..3).prop_map(|entries| {
            let mut list = EvidenceList::default();
            for (place, (tool, name, result, view)) in entries.into_iter().enumerate() {
                let view = View::from_fragment(view);
                let entry = Evidence::new(tool, &result, &view).expect("a short view");
                list.add(entry).expect("a short list");
                list.rename(place, &name);
            }
            list
        })
    }

    proptest! {
        #[test]
        fn a_list_survives_the_address(evidence in evidence()) {
            let view = View { evidence, ..View::default() };
            let (read, faults) = View::from_address(&view.to_fragment());
            prop_assert!(faults.is_empty());
            prop_assert_eq!(read.evidence, view.evidence);
        }

        #[test]
        fn any_text_is_a_list(text in "[a-z*.~&=-]{0,40}") {
            let fragment: String = Serializer::new(String::new()).append_pair(EVIDENCE, &text).finish();
            let (view, _) = View::from_address(&fragment);
            prop_assert_eq!(View::from_fragment(&view.to_fragment()), view);
        }

        #[test]
        fn what_is_escaped_has_no_separator(text in any::<String>()) {
            let spelled = escaped(&text);
            prop_assert!(!spelled.contains([BETWEEN_ENTRIES, '&']) && !spelled.contains(BETWEEN_FIELDS));
            prop_assert_eq!(unescaped(&spelled), Some(text));
        }
    }

    fn entry(view: &str) -> Evidence {
        Evidence::new(Tool::Off, "−1.20 nats", &View::from_fragment(view)).unwrap()
    }

    #[test]
    fn an_entry_opens_the_view_in_which_it_was_measured() {
        let measured =
            View::from_fragment("text=Oui.&off=cross.1.3&show=claim&theme=light&lang=en");
        let entry = Evidence::new(Tool::Off, "−1.20 nats", &measured).unwrap();
        let mut now = View::from_fragment("model=sentences&theme=dark&large=1");
        now.evidence.add(entry.clone()).unwrap();
        let there = now.reopened(&entry);
        assert_eq!(there.text, "Oui.");
        assert_eq!(
            (there.model, &there.edits),
            (measured.model, &measured.edits)
        );
        assert_eq!(
            (there.theme, there.large, there.language),
            (Theme::Dark, true, None)
        );
        assert_eq!(there.evidence, now.evidence);
    }

    #[test]
    fn the_list_is_bounded() {
        let mut view = View::default();
        for _ in 0..EvidenceList::MOST {
            view.evidence.add(entry("text=Oui.")).unwrap();
        }
        assert_eq!(view.evidence.add(entry("")), Err(NotKept::Full));
        let long = format!("text={}", "a".repeat(LONGEST_VIEW));
        let refused = Evidence::new(Tool::Off, "", &View::from_fragment(&long));
        assert_eq!(refused, Err(NotKept::TooLong));
        // One more than there may be is told, the others are read.
        view.evidence.0.push(entry(""));
        let (read, faults) = View::from_address(&view.to_fragment());
        assert_eq!((read.evidence.len(), faults.len()), (EvidenceList::MOST, 1));
    }

    #[test]
    fn entries_that_mean_nothing_are_told_and_the_others_are_read() {
        for bad in [
            "off",
            "off*.*.*.layer=x",
            "nope*.*.*.",
            "off*.*x*.*.",
            "off*.*.*.evidence=a",
        ] {
            let text = format!("{bad}~{}", entry("text=Oui."));
            let fragment = Serializer::new(String::new())
                .append_pair(EVIDENCE, &text)
                .finish();
            let (view, faults) = View::from_address(&fragment);
            assert_eq!((view.evidence.len(), faults.len()), (1, 1), "{bad}");
            assert_eq!(faults[0].value, bad);
        }
    }

    #[test]
    fn an_entry_can_be_named_and_taken_out() {
        let mut list = EvidenceList::default();
        list.add(entry("text=Oui.")).unwrap();
        list.add(entry("text=Non.")).unwrap();
        list.rename(1, " the\nsecond ");
        assert_eq!(list.get(1).unwrap().name, "the second");
        list.remove(0);
        list.remove(7);
        let names: Vec<&str> = list.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["the second"]);
    }
}
