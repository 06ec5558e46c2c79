//! The values of choices in the address and in `data-` attributes.

use attention_trace::{AttentionKind, positions::PositionalEncoding, snippets::Library};

use super::{
    flat,
    view::{DeviceChoice, ImportanceOf, Representation, Tab, Theme},
};

/// A choice among few, each with a value in the address.
pub trait AddressValue: Copy + PartialEq + 'static {
    /// Returns all choices with their values; [`flat::values`](super::flat::values) takes them from the names that serde
    /// gives to an enum's variants.
    fn values() -> Vec<(Self, &'static str)>;

    /// Returns the choice's value in the address.
    fn address_value(self) -> &'static str {
        let mut known = Self::values().into_iter();
        let found = known.find(|(choice, _)| *choice == self);
        found.map_or("", |(_, word)| word)
    }

    /// Returns the choice that has this value.
    fn from_address_value(word: &str) -> Option<Self> {
        let mut known = Self::values().into_iter();
        let found = known.find(|(_, known)| *known == word);
        found.map(|(choice, _)| choice)
    }
}

impl AddressValue for ImportanceOf {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl AddressValue for PositionalEncoding {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (PositionalEncoding::None, "none"),
            (PositionalEncoding::Learned, "learned"),
            (PositionalEncoding::Sinusoidal, "sinusoidal"),
            (PositionalEncoding::T5, "t5"),
            (PositionalEncoding::Rope, "rope"),
            (PositionalEncoding::Alibi, "alibi"),
        ]
    }
}

impl AddressValue for Library {
    fn values() -> Vec<(Self, &'static str)> {
        Library::ALL
            .map(|library| (library, library.key()))
            .to_vec()
    }
}

impl AddressValue for Tab {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl AddressValue for AttentionKind {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (AttentionKind::EncoderSelf, "encoder"),
            (AttentionKind::DecoderSelf, "decoder"),
            (AttentionKind::Cross, "cross"),
        ]
    }
}

impl AddressValue for Representation {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl AddressValue for Theme {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl AddressValue for DeviceChoice {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}
