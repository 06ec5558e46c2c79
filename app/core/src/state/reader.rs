//! A fragment as names with values, which are requested by name.

use std::{
    cell::{Cell, RefCell},
    str::FromStr,
};

use super::{
    counting::{Counted, FROM_ONE, MARK},
    faults::{AddressFault, FaultKind},
    sentences::Excess,
    values::AddressValue,
};

/// The word for the last item of a list in an address.
pub(super) const LAST: &str = "last";

/// A fragment being read, whose values count from 0 here. It records the requested entries and the refused values; all
/// other entries are unknown to every part of a view.
pub struct Reader {
    entries: Vec<Entry>,
    /// True if the fragment counts from 1.
    counts_from_one: bool,
    /// Refused values or parts of them, each with the index of its entry.
    refused: RefCell<Vec<(usize, String, FaultKind)>>,
}

struct Entry {
    name: String,
    value: String,
    is_known: Cell<bool>,
}

impl Entry {
    /// Converts a value that counts from 1.
    fn count_from_zero(&mut self) {
        if let Some(counted) = Counted::of(&self.name) {
            self.value = counted.zero_based(&self.value);
        }
    }
}

impl Reader {
    /// Reads a fragment, with or without `#`.
    pub fn new(fragment: &str) -> Self {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        let pairs = form_urlencoded::parse(fragment.as_bytes());
        let entry = |(name, value): (std::borrow::Cow<str>, std::borrow::Cow<str>)| Entry {
            name: name.into_owned(),
            value: value.into_owned(),
            is_known: Cell::new(false),
        };
        let mut reader = Reader {
            entries: pairs.map(entry).collect(),
            counts_from_one: false,
            refused: RefCell::default(),
        };
        // A mark of another value is of a page made later, which would not count from 0 again.
        reader.parsed(MARK, |mark| (mark == FROM_ONE).then_some(()));
        reader.counts_from_one = reader.get(MARK).is_some();
        if reader.counts_from_one {
            reader.entries.iter_mut().for_each(Entry::count_from_zero);
        }
        reader
    }

    /// Returns the counted words of an entry in the fragment; `None` if it counts from 0.
    fn counted(&self, name: &str) -> Option<Counted> {
        Counted::of(name).filter(|_| self.counts_from_one)
    }

    /// Returns the value of an entry, or a part of it, as spelled in the fragment.
    pub(super) fn in_address(&self, name: &str, value: &str) -> String {
        match self.counted(name) {
            Some(counted) => counted.one_based(value),
            None => value.to_owned(),
        }
    }

    /// Returns the first number in the numbering of an entry: 0 or 1.
    pub(super) fn first(&self, name: &str) -> usize {
        usize::from(self.counted(name).is_some())
    }

    /// Returns the entries that were not understood, in the order of the fragment.
    pub(super) fn faults(&self) -> Vec<AddressFault> {
        let refused = self.refused.borrow();
        let mut faults: Vec<AddressFault> = vec![];
        for (place, entry) in self.entries.iter().enumerate() {
            let fault = |value: &str, kind| AddressFault {
                name: entry.name.clone(),
                value: self.in_address(&entry.name, value),
                kind,
            };
            if !entry.is_known.get() {
                faults.push(fault(&entry.value, FaultKind::UnknownName));
            }
            for (_, value, kind) in refused.iter().filter(|(of, ..)| *of == place) {
                faults.push(fault(value, *kind));
            }
        }
        faults
    }

    /// Notes that an entry is refused, by its place.
    pub(super) fn refuse_entry(&self, place: usize, kind: FaultKind) {
        let value = &self.entries[place].value;
        match kind {
            FaultKind::TooMuch(_) => {
                let beginning: String = value.chars().take(AddressFault::QUOTED + 1).collect();
                self.refuse_as(place, &beginning, kind);
            }
            _ => self.refuse_as(place, value, kind),
        }
    }

    /// Returns the place and the text of an entry, which is known from now on.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &str)> {
        let mut entries = self.entries.iter().enumerate();
        let (place, entry) = entries.find(|(_, entry)| entry.name == name)?;
        entry.is_known.set(true);
        Some((place, &entry.value))
    }

    fn refuse(&self, place: usize, value: &str) {
        self.refuse_as(place, value, FaultKind::UnknownValue);
    }

    fn refuse_as(&self, place: usize, value: &str, kind: FaultKind) {
        let refused = (place, value.to_owned(), kind);
        let mut all = self.refused.borrow_mut();
        if !all.contains(&refused) {
            all.push(refused);
        }
    }

    /// Returns the text under a name, without any check.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(_, value)| value)
    }

    /// Returns the text for a model or a lesson; refused if it is too long.
    pub fn text(&self, name: &str) -> Option<&str> {
        let (place, value) = self.find(name)?;
        match Excess::of(value) {
            None => Some(value),
            Some(excess) => {
                self.refuse_entry(place, FaultKind::TooMuch(excess));
                None
            }
        }
    }

    /// Marks names as known, although the rest of the fragment leaves them without effect.
    pub fn know(&self, names: &[&str]) {
        for name in names {
            self.find(name);
        }
    }

    /// Parses the value of an entry; an invalid value is recorded as refused.
    pub fn parsed<T>(&self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let (place, value) = self.find(name)?;
        let parsed = parse(value);
        if parsed.is_none() {
            self.refuse(place, value);
        }
        parsed
    }

    /// Parses the parts of a value between separators. Each invalid part is refused separately, and empty parts are
    /// skipped.
    pub fn elements<T>(
        &self,
        name: &str,
        separators: &[char],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let Some((place, value)) = self.find(name) else {
            return vec![];
        };
        let mut elements = vec![];
        for part in value.split(separators).filter(|part| !part.is_empty()) {
            match parse(part) {
                Some(element) => elements.push(element),
                None => self.refuse(place, part),
            }
        }
        elements
    }

    /// Parses groups of `N` words between dots. Each invalid or incomplete group is refused separately. An empty text
    /// has no groups.
    pub fn groups<T, const N: usize>(
        &self,
        name: &str,
        parse: impl FnMut([&str; N]) -> Option<T>,
    ) -> Vec<T> {
        self.groups_between(name, '.', parse)
    }

    /// Does the same as [`groups`](Self::groups), with another separator.
    pub fn groups_between<T, const N: usize>(
        &self,
        name: &str,
        separator: char,
        mut parse: impl FnMut([&str; N]) -> Option<T>,
    ) -> Vec<T> {
        let Some((place, value)) = self.find(name) else {
            return vec![];
        };
        let words: Vec<&str> = value.split(separator).collect();
        let mut groups = vec![];
        for group in words.chunks(N).filter(|_| !value.is_empty()) {
            let parsed = <[&str; N]>::try_from(group).ok().and_then(&mut parse);
            match parsed {
                Some(parsed) => groups.push(parsed),
                None => self.refuse(place, &group.join(&separator.to_string())),
            }
        }
        groups
    }

    /// Parses a choice among few values.
    pub fn choice<T: AddressValue>(&self, name: &str) -> Option<T> {
        self.parsed(name, T::from_address_value)
    }

    /// Parses a number, or any other type by `FromStr`.
    pub fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.parsed(name, |text| text.parse().ok())
    }

    /// Parses an index, or [`LAST`] for the last item, whatever its number: then `usize::MAX`.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.parsed(name, |text| match text {
            LAST => Some(usize::MAX),
            digits => digits.parse().ok(),
        })
    }

    /// Parses a flag: `1` for on, `0` for off.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.parsed(name, |text| match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }

    /// Parses numbers between dots, all of them or none; an empty text has none.
    pub fn list<T: FromStr>(&self, name: &str) -> Option<Vec<T>> {
        self.parsed(name, numbers)
    }

    /// Parses numbers between dots, if `accepts` is true for all of them together.
    pub fn list_if<T: FromStr>(
        &self,
        name: &str,
        accepts: impl FnOnce(&[T]) -> bool,
    ) -> Option<Vec<T>> {
        self.parsed(name, |text| numbers(text).filter(|list| accepts(list)))
    }

    /// Parses exactly `N` numbers between dots.
    pub fn tuple<T: FromStr, const N: usize>(&self, name: &str) -> Option<[T; N]> {
        self.parsed(name, |text| numbers(text)?.try_into().ok())
    }

    /// Parses a number, if it is within bounds.
    pub fn within<T>(&self, name: &str, (low, high): (T, T)) -> Option<T>
    where
        T: FromStr + PartialOrd,
    {
        let is_inside = |number: &T| (low..=high).contains(number);
        self.parsed(name, |text| text.parse().ok().filter(is_inside))
    }

    /// Parses exactly `N` numbers, if all are within bounds.
    pub fn array<T, const N: usize>(&self, name: &str, (low, high): (T, T)) -> Option<[T; N]>
    where
        T: FromStr + PartialOrd,
    {
        let bounds = low..=high;
        self.parsed(name, |text| {
            let numbers: [T; N] = numbers(text)?.try_into().ok()?;
            let is_inside = numbers.iter().all(|number| bounds.contains(number));
            is_inside.then_some(numbers)
        })
    }
}

fn numbers<T: FromStr>(text: &str) -> Option<Vec<T>> {
    if text.is_empty() {
        return Some(vec![]);
    }
    text.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(reader: &Reader) -> Vec<String> {
        let faults = reader.faults().into_iter();
        faults.map(|fault| fault.quoted()).collect()
    }

    #[test]
    fn what_nobody_asks_for_is_not_understood() {
        let reader = Reader::new("#a=1&b=2&a=3&c");
        assert_eq!(reader.number::<u8>("a"), Some(1));
        reader.know(&["c"]);
        assert_eq!(faults(&reader), ["b=2", "a=3"]);
        let kinds = reader.faults().into_iter().map(|fault| fault.kind);
        assert!(kinds.eq([FaultKind::UnknownName; 2]));
    }

    #[test]
    fn a_text_that_is_too_long_is_told_by_its_length_and_its_beginning() {
        let characters = 1 + crate::state::MOST_CHARACTERS;
        let reader = Reader::new(&format!("short=a&long={}", "é".repeat(characters)));
        assert_eq!(
            (reader.text("short"), reader.text("long")),
            (Some("a"), None)
        );
        let faults = reader.faults();
        let excess = Excess::Characters(characters);
        assert_eq!(faults[0].kind, FaultKind::TooMuch(excess));
        assert_eq!(
            faults[0].quoted(),
            format!("long={}…", "é".repeat(AddressFault::QUOTED))
        );
    }

    #[test]
    fn a_value_that_is_refused_is_noted_once() {
        let reader = Reader::new("n=x&flag=2&list=1.x&pair=1&within=9&ok=3");
        for _ in 0..2 {
            assert_eq!(reader.number::<u8>("n"), None);
        }
        assert_eq!(reader.flag("flag"), None);
        assert_eq!(reader.list::<u8>("list"), None);
        assert_eq!(reader.tuple::<u8, 2>("pair"), None);
        assert_eq!(reader.within("within", (0, 8)), None);
        assert_eq!(
            reader.list_if("ok", |list: &[u8]| list.len() == 1),
            Some(vec![3])
        );
        let expected = ["n=x", "flag=2", "list=1.x", "pair=1", "within=9"];
        assert_eq!(faults(&reader), expected);
        assert!(
            reader
                .faults()
                .iter()
                .all(|fault| fault.kind == FaultKind::UnknownValue)
        );
    }

    #[test]
    fn of_a_list_the_parts_that_spell_nothing_are_refused() {
        let reader = Reader::new("list=1-x-2-&groups=a.1.b.x.c&empty=&none=");
        let number = |part: &str| part.parse::<u8>().ok();
        assert_eq!(reader.elements("list", &['-'], number), [1, 2]);
        let groups = reader.groups("groups", |[name, number]| {
            Some((name.to_owned(), number.parse::<u8>().ok()?))
        });
        assert_eq!(groups, [("a".to_owned(), 1)]);
        assert_eq!(reader.list::<u8>("empty"), Some(vec![]));
        assert!(reader.groups("none", |_: [&str; 2]| Some(())).is_empty());
        assert_eq!(faults(&reader), ["list=x", "groups=b.x", "groups=c"]);
    }
}
