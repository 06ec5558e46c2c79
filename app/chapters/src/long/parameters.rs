//! Parameters of chapter "long".

use attention_core::state::{Entry, Parameters};
use attention_trace::Window;
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LongTexts {
    /// The number of keys in the window, the query's own included.
    #[serde(rename = "window-keys")]
    pub keys: usize,
    /// The number of first tokens that are kept beside the window.
    #[serde(rename = "window-first")]
    pub first: usize,
    /// The factor by which RoPE is stretched.
    #[serde(rename = "stretch")]
    pub factor: usize,
}

impl LongTexts {
    /// The smallest and the largest window.
    pub const KEYS: (usize, usize) = (1, 64);
    /// The fewest and the most first tokens.
    pub const FIRST: (usize, usize) = (1, 8);
    /// The smallest and the largest factor.
    pub const FACTORS: (usize, usize) = (2, 8);

    /// Returns the window with the first tokens.
    pub fn kept(self) -> Window {
        Window {
            keys: self.keys,
            first: self.first,
        }
    }

    /// Returns the window alone.
    pub fn alone(self) -> Window {
        Window {
            keys: self.keys,
            first: 0,
        }
    }
}

impl Default for LongTexts {
    fn default() -> Self {
        LongTexts {
            keys: 4,
            first: 1,
            factor: 4,
        }
    }
}

impl Parameters for LongTexts {
    const CHAPTER: &'static str = "long";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("window-keys").within(Self::KEYS.0 as f64, Self::KEYS.1 as f64),
        Entry::named("window-first").within(Self::FIRST.0 as f64, Self::FIRST.1 as f64),
        Entry::named("stretch").within(Self::FACTORS.0 as f64, Self::FACTORS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn long_texts()(
            keys in LongTexts::KEYS.0..=LongTexts::KEYS.1,
            first in LongTexts::FIRST.0..=LongTexts::FIRST.1,
            factor in LongTexts::FACTORS.0..=LongTexts::FACTORS.1,
        ) -> LongTexts {
            LongTexts { keys, first, factor }
        }
    }
}
