//! The entries of the metadata below the prefix of an architecture.

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::header::{Metadata, Value as Entry};

/// Keys of features that are not implemented, unless they are zero.
const REFUSED: [&str; 5] = [
    "expert_count",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.scale",
    "nextn_predict_layers",
];
/// Keys of factors that are not implemented, unless they are one, or zero, which stands for none.
const FACTORS: [&str; 3] = ["embedding_scale", "residual_scale", "logit_scale"];
/// The key of a mask that hides later tokens.
const CAUSAL: &str = "attention.causal";
/// The key of the number of keys that a query sees.
pub const WINDOW: &str = "attention.sliding_window";

/// Keys below an architecture's prefix.
pub struct Keys<'m> {
    pub metadata: &'m Metadata<'m>,
    pub architecture: Architecture,
}

impl<'m> Keys<'m> {
    /// Returns the keys of a file's architecture.
    pub fn of(file: &'m Gguf<'_>) -> Self {
        Keys {
            metadata: &file.header.metadata,
            architecture: file.architecture,
        }
    }

    /// Returns the whole key.
    pub fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture.name())
    }

    pub fn natural(&self, name: &str) -> Result<Option<u64>, GgufError> {
        self.metadata.natural(&self.key(name))
    }

    pub fn real(&self, name: &str) -> Result<Option<f64>, GgufError> {
        self.metadata.real(&self.key(name))
    }

    pub fn boolean(&self, name: &str) -> Result<Option<bool>, GgufError> {
        self.metadata.boolean(&self.key(name))
    }

    pub fn text(&self, name: &str) -> Result<Option<&str>, GgufError> {
        self.metadata.text(&self.key(name))
    }

    pub fn needed(&self, name: &str) -> Result<u64, GgufError> {
        self.natural(name)?
            .ok_or_else(|| GgufError::missing(self.key(name)))
    }

    pub fn needed_real(&self, name: &str) -> Result<f64, GgufError> {
        self.real(name)?
            .ok_or_else(|| GgufError::missing(self.key(name)))
    }

    /// True if layers of the architecture may have a window.
    fn may_have_windows(&self) -> bool {
        use Architecture::{Gemma2, Gemma3, Mistral, Phi3};

        matches!(self.architecture, Mistral | Gemma2 | Gemma3 | Phi3)
    }

    /// Refuses features that are not implemented.
    pub fn check(&self) -> Result<(), GgufError> {
        let window = (!self.may_have_windows()).then_some(WINDOW);
        for name in REFUSED.into_iter().chain(window) {
            let is_zero = |value: &Entry<'_>| [Entry::Natural(0), Entry::Real(0.0)].contains(value);
            if let Some(value) = self.metadata.get(&self.key(name)).filter(|it| !is_zero(it)) {
                let fault = "is not implemented; 0 is";
                return Err(GgufError::value(self.key(name), value, fault));
            }
        }
        for name in FACTORS {
            let factor = self.real(name)?;
            if let Some(factor) = factor.filter(|factor| ![0.0, 1.0].contains(factor)) {
                let fault = "is not implemented; 1 is";
                return Err(GgufError::value(self.key(name), factor, fault));
            }
        }
        let is_causal = self.architecture != Architecture::Bert;
        match self.metadata.boolean(&self.key(CAUSAL))? {
            Some(given) if given != is_causal => {
                let fault = format!("is not implemented; {is_causal} is");
                Err(GgufError::value(self.key(CAUSAL), given, fault))
            }
            _ => Ok(()),
        }
    }
}
