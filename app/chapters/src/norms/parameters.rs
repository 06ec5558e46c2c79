//! Parameters of chapter "norms".

use attention_core::state::{AddressValue, Parameters, flat};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Norms {
    /// The normalisation on screen.
    #[serde(rename = "norm")]
    pub norm: Norm,
}

/// A normalisation of a matrix of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// LayerNorm, over each token's features.
    #[default]
    Layer,
    /// RMSNorm, over each token's features without centring.
    Rms,
    /// BatchNorm, over each feature's tokens.
    Batch,
}

impl AddressValue for Norm {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Parameters for Norms {
    const CHAPTER: &'static str = "norms";
}
