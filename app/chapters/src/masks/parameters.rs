//! Parameters of chapter "masks".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, flat};
use serde::{Deserialize, Serialize};

/// A mask for attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mask {
    /// Every query sees every key.
    None,
    /// No query sees later keys.
    #[default]
    Causal,
    /// No query sees keys that only fill a text up.
    Padding,
}

impl AddressValue for Mask {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Masks {
    /// The mask of the experiment.
    #[serde(rename = "mask")]
    pub mask: Mask,
    /// The number of tokens at the end that count as padding; a number that is too large leaves only the first token.
    #[serde(rename = "mask-padding")]
    pub padding: usize,
    /// The step from the average of the past to attention, from 0; too large a number means the last.
    #[serde(rename = "mask-average")]
    pub average: usize,
}

impl Default for Masks {
    fn default() -> Self {
        Masks {
            mask: Mask::default(),
            padding: 1,
            average: 0,
        }
    }
}

impl Parameters for Masks {
    const CHAPTER: &'static str = "masks";
    const ENTRIES: &'static [Entry] = &[Entry::named("mask-average").counting(Counted::All)];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn masks()(
            mask in choice::<Mask>(),
            padding in any::<usize>(),
            average in any::<usize>(),
        ) -> Masks {
            Masks { mask, padding, average }
        }
    }
}
