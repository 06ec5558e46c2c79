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
    let pairs = form_urlencoded::parse(fragment.as_bytes());
    pairs.into_owned().collect()
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

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests/addresses.json")
}

#[test]
fn every_recorded_address_opens_what_it_opened() {
    let text = fs::read_to_string(path()).unwrap();
    let mut recorded: Recorded = serde_json::from_str(&text).unwrap();
    let default = entries(&super::view(""));
    assert_eq!(default, recorded.default);
    assert!(recorded.addresses.len() >= 200);
    let blesses = env::var_os("BLESS").is_some();
    for (address, expected) in &mut recorded.addresses {
        let opened = opened(address, &default);
        match expected {
            None if blesses => *expected = Some(opened),
            expected => assert_eq!(expected.as_ref(), Some(&opened), "{address}"),
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
