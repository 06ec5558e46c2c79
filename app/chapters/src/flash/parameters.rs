//! Parameters of page "flash".

use attention_core::state::{Counted, Entry, Parameters};
use serde::{Deserialize, Serialize};

/// State of the page's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Flash {
    /// The number of keys in a block.
    #[serde(rename = "flash-block")]
    pub block: usize,
    /// The block after which the state is shown, from 0; too large a number means the last.
    #[serde(rename = "flash-step")]
    pub step: usize,
    /// The number of tokens whose traffic is counted.
    #[serde(rename = "flash-n")]
    pub tokens: usize,
    /// The number of queries, and of keys, in a block that is counted with.
    #[serde(rename = "flash-queries")]
    pub queries: usize,
}

impl Default for Flash {
    fn default() -> Self {
        Flash {
            block: 2,
            step: 0,
            tokens: 2048,
            queries: 128,
        }
    }
}

impl Flash {
    /// The fewest and the most keys of a block.
    pub const BLOCKS: (usize, usize) = (1, 8);
    /// The fewest and the most tokens that are counted with.
    pub const TOKENS: (usize, usize) = (64, 8192);
    /// The fewest and the most queries of a block that is counted with.
    pub const QUERIES: (usize, usize) = (16, 256);
}

const fn within(name: &'static str, bounds: (usize, usize)) -> Entry {
    Entry::named(name).within(bounds.0 as f64, bounds.1 as f64)
}

impl Parameters for Flash {
    const CHAPTER: &'static str = "flash";
    const ENTRIES: &'static [Entry] = &[
        within("flash-block", Self::BLOCKS),
        Entry::named("flash-step").counting(Counted::All),
        within("flash-n", Self::TOKENS),
        within("flash-queries", Self::QUERIES),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn flash()(
            block in 1usize..=8,
            step in any::<usize>(),
            tokens in 64usize..=8192,
            queries in 16usize..=256,
        ) -> Flash {
            Flash { block, step, tokens, queries }
        }
    }
}
