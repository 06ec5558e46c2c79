//! Source of a figure's numbers, which several chapters let the visitor choose.

use attention_core::state::{AddressValue, flat};
use serde::{Deserialize, Serialize};

/// A source of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataSource {
    /// The numbers of the lecture's example.
    #[default]
    Lecture,
    /// The numbers of the head and the sentence on screen.
    Head,
}

impl AddressValue for DataSource {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}
