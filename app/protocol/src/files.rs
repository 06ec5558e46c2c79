//! Faults of files from the visitor's disk.

use serde::{Deserialize, Serialize};

/// The reason why files make no model that runs here; the page describes it in the visitor's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesFault {
    /// Some files of a checkpoint are not among the chosen ones.
    Missing {
        /// The names of the missing files.
        names: Vec<String>,
        /// Files in which other programs keep the same contents, and which are not read here.
        instead: Vec<String>,
    },
    /// A file cannot be read: it was moved, changed or removed since it was chosen.
    Unreadable {
        /// The name of the file.
        name: String,
        /// The error message of the browser.
        reason: String,
    },
    /// A file is not valid JSON.
    Json {
        /// The name of the file.
        name: String,
        /// The place of the first error in the file.
        reason: String,
    },
    /// `config.json` names an architecture that is not implemented.
    Architecture {
        /// The file's `model_type`; empty if it has none.
        found: String,
    },
    /// The weights and the arrays computed with them need more memory than WebAssembly offers.
    TooLarge {
        /// The number of bytes needed.
        bytes: u64,
        /// The largest number of bytes available.
        limit: u64,
    },
    /// The files do not fit each other, or contain something that is not implemented.
    Unfit {
        /// The fault, in `attn`'s words.
        reason: String,
    },
}
