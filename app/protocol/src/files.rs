//! Faults of files from the visitor's disk.

use serde::{Deserialize, Serialize};

/// Why files make no model that runs here; the page puts it into words in the visitor's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum FilesFault {
    /// Files of a checkpoint are not among those that were chosen.
    Missing {
        /// Which.
        names: Vec<String>,
        /// Files that other programs keep the same in, and that are not read.
        instead: Vec<String>,
    },
    /// A file cannot be read: it was moved, changed or taken away since it was chosen.
    Unreadable {
        /// Which.
        name: String,
        /// The browser's message.
        reason: String,
    },
    /// A file is no JSON.
    Json {
        /// Which.
        name: String,
        /// Place of the first error in it.
        reason: String,
    },
    /// `config.json` names an architecture that is not implemented.
    Architecture {
        /// Its `model_type`; empty where it names none.
        found: String,
    },
    /// The weights and what is computed with them need more memory than WebAssembly has.
    TooLarge {
        /// Bytes that they need.
        bytes: u64,
        /// Bytes that there are at most.
        limit: u64,
    },
    /// The files do not fit each other, or hold what is not implemented.
    Unfit {
        /// The fault, in `attn`'s words.
        reason: String,
    },
}
