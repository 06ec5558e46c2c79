//! Parameters of chapter "masks".

use attention_core::state::{AddressValue, Parameters, flat};
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
}

impl Default for Masks {
    fn default() -> Self {
        Masks {
            mask: Mask::default(),
            padding: 1,
        }
    }
}

impl Parameters for Masks {
    const CHAPTER: &'static str = "masks";
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn masks()(mask in choice::<Mask>(), padding in any::<usize>()) -> Masks {
            Masks { mask, padding }
        }
    }
}
