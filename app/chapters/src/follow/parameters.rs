//! Parameters of chapter "follow".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Follow {
    /// Source of the numbers.
    pub source: FollowSource,
}

/// A source of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowSource {
    /// The head and the sentence on screen.
    #[default]
    Head,
    /// The lecture's worked example, "Thinking Machines".
    ThinkingMachines,
}

impl AddressValue for FollowSource {
    const VALUES: &'static [(Self, &'static str)] = &[
        (FollowSource::Head, "head"),
        (FollowSource::ThinkingMachines, "thinking-machines"),
    ];
}

impl Parameters for Follow {
    const CHAPTER: &'static str = "follow";

    fn write(&self, fragment: &mut Writer) {
        fragment.choice("follow", self.source, FollowSource::default());
    }

    fn read(fragment: &Reader) -> Self {
        Follow {
            source: fragment.choice("follow").unwrap_or_default(),
        }
    }
}
