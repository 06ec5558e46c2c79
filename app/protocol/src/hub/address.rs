//! Addresses of models on a hub.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The hub that is asked if an address names no other.
pub const DEFAULT_HUB: &str = "https://huggingface.co";

/// The revision that is meant if an address names none.
const MAIN: &str = "main";
/// The length of the longest owner, name or revision.
const LONGEST: usize = 96;
/// The words between a model's name and its revision in the addresses of a hub's pages and files.
const KINDS: [&str; 3] = ["tree", "blob", "resolve"];

/// A model on a hub, or one of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubAddress {
    /// The address of the hub, without a slash at its end.
    pub hub: String,
    /// The owner of the model.
    pub owner: String,
    /// The name of the model.
    pub name: String,
    /// The branch, tag or commit.
    pub revision: String,
    /// The file with the weights, if the address names one.
    pub file: Option<String>,
}

/// A text that is no address of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected `owner/name`, `owner/name@revision`, or the address of a model's page")]
pub struct NotAnAddress;

impl HubAddress {
    /// Parses `owner/name`, `owner/name@revision`, or the address of a page or file on a hub. `hub` is the hub of the
    /// first two.
    ///
    /// # Errors
    /// If the text has none of these forms.
    pub fn parse(text: &str, hub: &str) -> Result<Self, NotAnAddress> {
        let text = text.trim().trim_end_matches('/');
        match is_url(text) {
            true => of_page(text),
            false => {
                let (model, revision) = text.split_once('@').unwrap_or((text, MAIN));
                let (owner, name) = model.split_once('/').ok_or(NotAnAddress)?;
                let hub = hub.trim().trim_end_matches('/');
                let address = HubAddress {
                    hub: if hub.is_empty() { DEFAULT_HUB } else { hub }.to_owned(),
                    owner: owner.to_owned(),
                    name: name.to_owned(),
                    revision: revision.to_owned(),
                    file: None,
                };
                address.checked()
            }
        }
    }

    /// Returns the address of the hub's description of the model, in which the files are listed with their sizes.
    pub fn listing(&self) -> String {
        let HubAddress {
            hub,
            owner,
            name,
            revision,
            ..
        } = self;
        format!("{hub}/api/models/{owner}/{name}/revision/{revision}?blobs=true")
    }

    /// Returns the address of a file at a commit.
    pub fn resolve(&self, commit: &str, file: &str) -> String {
        let HubAddress {
            hub, owner, name, ..
        } = self;
        format!("{hub}/{owner}/{name}/resolve/{commit}/{file}")
    }

    fn checked(self) -> Result<Self, NotAnAddress> {
        let parts = [&self.owner, &self.name, &self.revision];
        let is_file = self.file.as_ref().is_none_or(|file| is_part(file));
        let is_hub = is_url(&self.hub) && !self.hub.contains(['?', '#', ' ']);
        (parts.into_iter().all(|part| is_part(part)) && is_file && is_hub)
            .then_some(self)
            .ok_or(NotAnAddress)
    }
}

impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)?;
        match self.revision.as_str() {
            MAIN => Ok(()),
            revision => write!(f, "@{revision}"),
        }
    }
}

fn is_url(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}

/// Parses `https://hub/owner/name`, followed by a kind and a revision, and those by a file.
fn of_page(url: &str) -> Result<HubAddress, NotAnAddress> {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = url.split('/').collect();
    let kind = parts.iter().position(|part| KINDS.contains(part));
    let end = kind.unwrap_or(parts.len());
    let [hub @ .., owner, name] = parts.get(..end).unwrap_or_default() else {
        return Err(NotAnAddress);
    };
    let after = |place: usize| kind.and_then(|kind| parts.get(kind + place));
    let address = HubAddress {
        hub: hub.join("/"),
        owner: (*owner).to_owned(),
        name: (*name).to_owned(),
        revision: after(1).map_or(MAIN, |part| *part).to_owned(),
        file: after(2).map(|part| (*part).to_owned()),
    };
    address.checked()
}

fn is_part(part: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=LONGEST).contains(&part.len())
        && part.chars().all(is_letter)
        && !part.chars().all(|letter| letter == '.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<(String, String, String, Option<String>)> {
        let address = HubAddress::parse(text, "").ok()?;
        let model = format!("{}/{}", address.owner, address.name);
        Some((address.hub, model, address.revision, address.file))
    }

    #[test]
    fn models_are_named_by_owner_and_name_or_by_the_address_of_a_page() {
        let found = |hub: &str, revision: &str, file: Option<&str>| {
            let model = "HuggingFaceTB/SmolLM2-135M".to_owned();
            Some((
                hub.to_owned(),
                model,
                revision.to_owned(),
                file.map(str::to_owned),
            ))
        };
        let model = "HuggingFaceTB/SmolLM2-135M";
        assert_eq!(
            parsed(&format!(" {model} ")),
            found(DEFAULT_HUB, "main", None)
        );
        assert_eq!(
            parsed(&format!("{model}@v1.0")),
            found(DEFAULT_HUB, "v1.0", None)
        );
        for hub in [
            DEFAULT_HUB,
            "http://127.0.0.1:8000",
            "https://intranet/models",
        ] {
            assert_eq!(parsed(&format!("{hub}/{model}/")), found(hub, "main", None));
            assert_eq!(
                parsed(&format!("{hub}/{model}/tree/dev")),
                found(hub, "dev", None)
            );
            let file = format!("{hub}/{model}/blob/main/model.gguf?download=true");
            assert_eq!(parsed(&file), found(hub, "main", Some("model.gguf")));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let refused = [
            "",
            "SmolLM2",
            "a/b/c",
            "a/..",
            "a/b@",
            "a b/c",
            "https://",
            "https:///a/b",
            "https://hub/a",
            "ftp://hub/a/b",
            "a/b@x/y",
            "https://hub/a/b/tree/x/y/z%2F",
        ];
        for text in refused {
            let found = HubAddress::parse(text, "");
            assert!(found.is_err() || text.ends_with("%2F"), "{text}: {found:?}");
        }
        assert_eq!(HubAddress::parse("a/b", "file:///x"), Err(NotAnAddress));
    }

    proptest! {
        #[test]
        fn an_address_is_parsed_or_refused_and_never_leaves_its_hub(text in ".{0,40}", hub in "(https://hub)?") {
            if let Ok(address) = HubAddress::parse(&text, &hub) {
                prop_assert!(address.listing().starts_with(&address.hub));
                prop_assert!(!address.listing().contains("/../"));
            }
        }

        #[test]
        fn a_written_address_is_parsed_to_itself(owner in "[A-Za-z0-9-]{1,9}", name in "[a-z0-9.]{0,8}x", revision in "[a-z0-9]{1,9}") {
            let address = HubAddress { hub: DEFAULT_HUB.to_owned(), owner, name, revision, file: None };
            prop_assert_eq!(HubAddress::parse(&address.to_string(), ""), Ok(address));
        }
    }
}
