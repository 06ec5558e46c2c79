//! Numbering in addresses: from 1 wherever the page numbers from 1.
//!
//! A [`View`](super::View) counts everything from 0, and so does the code that reads and writes its parts. Entries that
//! count from 1 in an address are in the table here, those of edits in [`EditKind`](super::EditKind), those of chapters in
//! [`Parameters::ENTRIES`](super::Parameters::ENTRIES): layers, heads, steps, stages, sentences, stops, figures, and
//! the places of tokens, rows and columns. [`Writer`](super::writer::Writer) and [`Reader`](super::reader::Reader)
//! translate these entries. Quantities (the number of layers passed, a width, a seed), identifiers of tokens and
//! positions in formulas, which begin with 0 on the page too, stay as they are.
//!
//! An address that has an entry of the table begins with the mark `v=2`. One without the mark was made when everything
//! was counted from 0, and means what it meant then.

use attention_trace::AttentionKind;

use super::{edits, parameters, values::AddressValue};

/// The name of the entry that marks the numbering.
pub(super) const MARK: &str = "v";
/// The mark's value in an address that counts from 1.
pub(super) const FROM_ONE: &str = "2";

/// The spelling of 0 in an address that counts from 1, where 0 is no place; no number is spelled like it.
const NO_PLACE: &str = "0!";

/// The entries of the view that count, except those of edits and chapters, each with the words of its value that do.
const COUNTED: [(&str, Counted); 12] = [
    ("sentence", Counted::All),
    ("layer", Counted::All),
    ("head", Counted::All),
    ("with", Counted::All),
    ("cell", Counted::All),
    ("rows", Counted::All),
    // Row, column, and the size of a cell.
    ("window", Counted::Groups(&[true, true, false])),
    ("step", Counted::All),
    ("stop", Counted::All),
    ("figure", Counted::All),
    ("stage", Counted::All),
    ("windows", Counted::Groups(&[false, true])),
];

/// Returns the entries of the view that count, except those of chapters.
fn known() -> impl Iterator<Item = (&'static str, Counted)> {
    let edits = edits::KINDS.into_iter();
    let edits = edits.map(|kind| (kind.entry, kind.counted));
    COUNTED.into_iter().chain(edits)
}

/// A choice of the words of a value that count from 1. Words are separated by dots; a word that is no number stays as
/// it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// All words of the value.
    All,
    /// The words that are marked in each group of this length.
    Groups(&'static [bool]),
    /// The given number of words after the kind of attention, in each part between `-` or `,`.
    AfterKind(usize),
    /// The words of patches between `-`: the layer of the site, and after each `*` the head or the two positions.
    Patches,
}

impl Counted {
    /// Returns the counted words of the entry with this name; `None` if it does not count.
    pub fn of(name: &str) -> Option<Self> {
        let known = known().find(|(counted, _)| *counted == name);
        known.map_or_else(|| parameters::counted(name), |(_, counted)| Some(counted))
    }

    /// Converts a value that counts from 0, or a part of it, to counting from 1.
    pub fn one_based(self, value: &str) -> String {
        self.translated(value, one_more)
    }

    /// The inverse of [`one_based`](Self::one_based); a 0 in a value that counts from 1 is not a number.
    pub fn zero_based(self, value: &str) -> String {
        self.translated(value, one_less)
    }

    fn translated(self, value: &str, number: fn(&str) -> String) -> String {
        match self {
            Counted::All => words(value, |_, word| number(word)),
            Counted::Groups(marked) => words(value, |at, word| match marked[at % marked.len()] {
                true => number(word),
                false => word.to_owned(),
            }),
            Counted::AfterKind(count) => between(value, &['-', ','], |part| {
                let kind = part.split('.').position(is_kind);
                words(part, |at, word| match kind {
                    Some(kind) if (kind + 1..=kind + count).contains(&at) => number(word),
                    _ => word.to_owned(),
                })
            }),
            Counted::Patches => between(value, &['-'], |patch| patched(patch, number)),
        }
    }
}

/// Converts a patch such as `encoder.1.mlp.norm*3.3`: the site, then a head (`h5`), two positions, or a word.
fn patched(patch: &str, number: fn(&str) -> String) -> String {
    let mut parts = patch.split('*');
    let site = parts.next().unwrap_or_default();
    let site = words(site, |at, word| match at {
        1 => number(word),
        _ => word.to_owned(),
    });
    let rest = parts.map(|part| match part.strip_prefix('h') {
        Some(head) => format!("h{}", number(head)),
        None => words(part, |_, word| number(word)),
    });
    let parts: Vec<String> = std::iter::once(site).chain(rest).collect();
    parts.join("*")
}

fn is_kind(word: &str) -> bool {
    AttentionKind::from_address_value(word).is_some()
}

/// Converts each word of a value by its index.
fn words(value: &str, translate: impl Fn(usize, &str) -> String) -> String {
    let words = value.split('.').enumerate();
    let translated: Vec<String> = words.map(|(at, word)| translate(at, word)).collect();
    translated.join(".")
}

/// Converts each part of a value, and keeps the separators.
fn between(value: &str, separators: &[char], translate: impl Fn(&str) -> String) -> String {
    let parts = value.split_inclusive(separators);
    let translated = parts.map(|part| {
        let end = part.strip_suffix(separators).map_or(part.len(), str::len);
        translate(&part[..end]) + &part[end..]
    });
    translated.collect()
}

fn one_more(word: &str) -> String {
    match word.parse::<u128>() {
        Ok(number) => number.saturating_add(1).to_string(),
        Err(_) if word == NO_PLACE => "0".to_owned(),
        Err(_) => word.to_owned(),
    }
}

fn one_less(word: &str) -> String {
    match word.parse::<u128>() {
        Ok(0) => NO_PLACE.to_owned(),
        Ok(number) => (number - 1).to_string(),
        Err(_) => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn exactly_what_counts_is_translated() {
        for (name, from_zero, from_one) in [
            ("layer", "0", "1"),
            ("stage", "last", "last"),
            ("cell", "1.2", "2.3"),
            ("window", "3.0.20", "4.1.20"),
            ("windows", "width.64.heads.0", "width.65.heads.1"),
            ("off", "encoder.0.2-cross.1.3", "encoder.1.3-cross.2.4"),
            ("off", "cross.0.0,x", "cross.1.1,x"),
            ("reweighed", "uniform.all", "uniform.all"),
            ("reweighed", "permuted.7.cross.1", "permuted.7.cross.2"),
            ("reweighed", "uniform.cross.1.3", "uniform.cross.2.4"),
            ("key-window", "4.1.all", "4.1.all"),
            ("key-window", "4.1.decoder.0", "4.1.decoder.1"),
            (
                "weights",
                "cross.1.3.2.0.750.off._7-cross.0.0.all.1.0",
                "cross.2.4.3.1.750.off._7-cross.1.1.all.2.0",
            ),
        ] {
            let counted = Counted::of(name).unwrap();
            assert_eq!(counted.one_based(from_zero), from_one, "{name}");
            assert_eq!(counted.zero_based(from_one), from_zero, "{name}");
        }
        assert_eq!(Counted::of("text"), None);
        let groups = Counted::Groups(&[false, true, true, false]);
        assert_eq!(groups.one_based("q.0.0.50.x.1.2.-7"), "q.1.1.50.x.2.3.-7");
        let patches = "decoder.0.self.z*h5*clean-encoder.0.mlp.norm*0.0";
        let from_one = "decoder.1.self.z*h6*clean-encoder.1.mlp.norm*1.1";
        assert_eq!(Counted::Patches.one_based(patches), from_one);
        assert_eq!(Counted::Patches.zero_based(from_one), patches);
    }

    #[test]
    fn there_is_no_place_before_the_first() {
        let no_place = Counted::All.zero_based("0.1");
        let numbers: Vec<_> = no_place.split('.').map(str::parse::<usize>).collect();
        assert!(numbers[0].is_err() && numbers[1] == Ok(0));
        assert_eq!(Counted::All.one_based(&no_place), "0.1");
    }

    #[test]
    fn each_name_is_in_the_table_once() {
        for (at, (name, _)) in known().enumerate() {
            let first = known().position(|(other, _)| other == name);
            assert_eq!(first, Some(at), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_value_is_translated_back((_, counted) in prop::sample::select(known().collect::<Vec<_>>()), value in "([a-z*.,-]|0|[1-9][0-9]{0,3}|cross|encoder|h[1-9]){0,24}") {
            let there = counted.one_based(&value);
            // Numbers that run into each other may begin with a 0, which is not kept.
            prop_assert_eq!(counted.one_based(&counted.zero_based(&there)), there);
        }
    }
}
