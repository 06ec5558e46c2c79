//! Parameters of chapter "follow".

use attention_core::state::{AddressValue, Parameters, flat};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Follow {
    /// Source of the numbers.
    #[serde(rename = "follow")]
    pub source: FollowSource,
    /// True if all stages are shown, not the six main ones alone.
    #[serde(rename = "follow-all")]
    pub all: bool,
}

/// A source of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FollowSource {
    /// The head and the sentence on screen.
    #[default]
    Head,
    /// The lecture's worked example, "Thinking Machines".
    ThinkingMachines,
}

impl AddressValue for FollowSource {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Parameters for Follow {
    const CHAPTER: &'static str = "follow";
}
