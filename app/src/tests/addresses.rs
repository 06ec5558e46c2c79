//! Tests that existing addresses keep their meaning.
//!
//! `addresses.json` has addresses of journeys, routes and documents, and some of made-up views, with the view that each
//! opened when it was added: the entries that differ from those of an empty address, and the entries without meaning.
//! With `BLESS=1` new addresses, which have `null` there, get their view; the others are never rewritten.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use attention_core::state::View;
use serde::{Deserialize, Serialize};

/// The names and values of all entries of a view, defaults included.
type Entries = BTreeMap<String, String>;

#[derive(Deserialize, Serialize)]
struct Recorded {
    /// The view of an empty address.
    default: Entries,
    /// The view that each address opened; `None` for a new address.
    addresses: BTreeMap<String, Option<Opened>>,
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Opened {
    /// The entries with another value than in the default view; `None` for those that the view lacks.
    differs: BTreeMap<String, Option<String>>,
    /// The entries without any meaning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
}

fn entries(view: &View) -> Entries {
    let fragment = view.to_complete_fragment();
    let pairs: Vec<_> = form_urlencoded::parse(fragment.as_bytes())
        .into_owned()
        .collect();
    let count = pairs.len();
    let entries: Entries = pairs.into_iter().collect();
    assert_eq!(entries.len(), count, "two entries have one name");
    entries
}

fn opened(address: &str, default: &Entries) -> Opened {
    let (view, faults) = View::from_address(address);
    let own = entries(&view);
    let lacks = default.keys().filter(|name| !own.contains_key(*name));
    let lacks = lacks.map(|name| (name.clone(), None));
    let has = own
        .iter()
        .filter(|(name, value)| default.get(*name) != Some(value));
    let has = has.map(|(name, value)| (name.clone(), Some(value.clone())));
    Opened {
        differs: has.chain(lacks).collect(),
        faults: faults.iter().map(|fault| fault.quoted()).collect(),
    }
}

/// The value of an entry; an absent one is an empty one.
fn value_of<'a>(entries: &'a Entries, name: &str) -> &'a str {
    entries.get(name).map_or("", String::as_str)
}

/// All entries of a view that are not empty. Which entries are listed at their default has changed since the first
/// addresses were recorded, and means nothing.
fn meaning(opened: &Opened, default: &Entries) -> Entries {
    let mut entries = default.clone();
    for (name, value) in &opened.differs {
        entries.insert(name.clone(), value.clone().unwrap_or_default());
    }
    entries.retain(|_, value| !value.is_empty());
    entries
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests/addresses.json")
}

#[test]
fn every_recorded_address_opens_what_it_opened() {
    let text = fs::read_to_string(path()).unwrap();
    let mut recorded: Recorded = serde_json::from_str(&text).unwrap();
    let default = entries(&super::view(""));
    for (name, value) in &recorded.default {
        assert_eq!(value_of(&default, name), value, "{name}");
    }
    assert!(recorded.addresses.len() >= 200);
    let blesses = env::var_os("BLESS").is_some();
    for (address, expected) in &mut recorded.addresses {
        let opened = opened(address, &default);
        match expected {
            None if blesses => *expected = Some(opened),
            None => panic!("{address} has no record; BLESS=1 writes it"),
            Some(expected) => {
                let meant = |opened: &Opened| meaning(opened, &default);
                assert_eq!(meant(&opened), meant(expected), "{address}");
                assert_eq!(opened.faults, expected.faults, "{address}");
            }
        }
    }
    if blesses {
        let text = serde_json::to_string_pretty(&recorded).unwrap() + "\n";
        fs::write(path(), text).unwrap();
    }
}

#[test]
fn every_recorded_address_is_spelled_again() {
    let text = fs::read_to_string(path()).unwrap();
    let recorded: Recorded = serde_json::from_str(&text).unwrap();
    for address in recorded.addresses.keys() {
        let view = super::view(address);
        assert_eq!(super::view(&view.to_fragment()), view, "{address}");
    }
}
