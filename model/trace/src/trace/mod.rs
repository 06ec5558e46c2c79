//! The record of one forward pass, stored and sent as a safetensors file (`docs/trace-format.md`).

mod checks;
mod file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Array, AttentionKind, Decoding, Edit, Guess, Lens, ModelSpec, Pieces, Site, Stack, Token,
};

pub use file::{FORMAT, LARGEST_TRACE_BYTES, TraceError};

/// The model and the tokens that the arrays of a trace refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceMeta {
    /// The model that made it.
    pub spec: ModelSpec,
    /// The tokens that the encoder reads, end-of-sentence included; empty for a decoder-only model.
    pub source: Vec<Token>,
    /// The tokens that the decoder reads, start token included; empty if there is no decoder. Row `t` of a decoder map
    /// is that of `target[t]`, which predicts token `t + 1`.
    pub target: Vec<Token>,
    /// The tokenizer's facts about these tokens; the default in a trace made before they were recorded.
    #[serde(default, skip_serializing_if = "Pieces::is_default")]
    pub pieces: Pieces,
}

impl TraceMeta {
    /// The tokens that a stack reads.
    pub fn tokens(&self, stack: Stack) -> &[Token] {
        match stack {
            Stack::Encoder => &self.source,
            Stack::Decoder => &self.target,
        }
    }

    /// The tokens of queries (rows) and keys (columns) of maps of this kind.
    pub fn axes(&self, kind: AttentionKind) -> (&[Token], &[Token]) {
        let keys = match kind {
            AttentionKind::EncoderSelf | AttentionKind::Cross => Stack::Encoder,
            AttentionKind::DecoderSelf => Stack::Decoder,
        };
        (self.tokens(kind.stack()), self.tokens(keys))
    }
}

/// The program that made a trace, and what it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The name of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The version of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The name of the model, of a hub `owner/name`; never a path beyond the name of a file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The text as it was typed; of a picture, the name of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The record of one forward pass: arrays by their places, with the model and the tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The model and the tokens.
    pub meta: TraceMeta,
    /// The decoding that produced the target; absent if the target was given.
    pub decoding: Option<Decoding>,
    /// The guesses for each masked word of the source; empty if there is none, and for all models that do not guess
    /// words.
    pub guesses: Vec<Guess>,
    /// The edits that were made in the pass, as they were given.
    pub edits: Vec<Edit>,
    /// The reading of every layer as logits, if it was recorded.
    pub lens: Option<Lens>,
    /// The program that made the trace, and what it was given.
    pub origin: Origin,
    /// The arrays by place.
    pub arrays: BTreeMap<Site, Array>,
}

impl Trace {
    /// A trace of these tokens in which nothing was recorded.
    pub fn new(meta: TraceMeta) -> Self {
        Trace {
            meta,
            decoding: None,
            guesses: vec![],
            edits: vec![],
            lens: None,
            origin: Origin::default(),
            arrays: BTreeMap::new(),
        }
    }

    /// The array of that place.
    pub fn array(&self, site: Site) -> Option<&Array> {
        self.arrays.get(&site)
    }
}
