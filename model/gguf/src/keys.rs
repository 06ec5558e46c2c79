//! The entries of the metadata below the prefix of an architecture.

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::header::{Metadata, Value as Entry};

/// Keys of features that are not implemented, unless they are zero.
const REFUSED: [&str; 6] = [
    "expert_count",
    "attention.sliding_window",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.scale",
    "nextn_predict_layers",
];
/// Keys of factors that are not implemented, unless they are one, or zero, which stands for none.
const FACTORS: [&str; 3] = ["embedding_scale", "residual_scale", "logit_scale"];
/// The key of a mask that hides later tokens.
const CAUSAL: &str = "attention.causal";

/// Keys below an architecture's prefix.
pub struct Keys<'m> {
    pub metadata: &'m Metadata<'m>,
    architecture: Architecture,
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

    /// Refuses features that are not implemented.
    pub fn check(&self) -> Result<(), GgufError> {
        for name in REFUSED {
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
        match self.metadata.boolean(&self.key(CAUSAL))? {
            Some(false) => {
                let fault = "is not implemented; true is";
                Err(GgufError::value(self.key(CAUSAL), false, fault))
            }
            _ => Ok(()),
        }
    }
}
