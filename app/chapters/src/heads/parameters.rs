//! Parameters of chapter "heads".

use attention_core::state::{Counted, Entry, Lacking, Parameters};
use serde::{Deserialize, Serialize};

/// The head that chapter "heads" shows beside the chosen one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Heads {
    /// The number of the other head of the same layer, from 0; too large a number stands for the last head.
    #[serde(rename = "heads-other")]
    pub other: usize,
}

impl Parameters for Heads {
    const CHAPTER: &'static str = "heads";
    const ENTRIES: &'static [Entry] = &[Entry::named("heads-other").counting(Counted::All)];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        if let Some(kind) = lacking.self_attention() {
            lacking.index("heads-other", lacking.meta.spec.heads(kind));
        }
    }
}
