//! Parameters of page "memory".

use attention_core::state::{Counted, Entry, Parameters};
use serde::{Deserialize, Serialize};

/// State of the page's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct KeptView {
    /// The number of tokens that were read in the map, less one; too large a number means all.
    #[serde(rename = "kept-step")]
    pub step: usize,
}

impl Parameters for KeptView {
    const CHAPTER: &'static str = "memory";
    const ENTRIES: &'static [Entry] = &[Entry::named("kept-step").counting(Counted::All)];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn memory()(step in any::<usize>()) -> KeptView {
            KeptView { step }
        }
    }
}
