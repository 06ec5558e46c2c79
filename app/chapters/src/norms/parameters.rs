//! Parameters of chapter "norms".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Norms {
    /// The normalisation on screen.
    pub norm: Norm,
}

/// A normalisation of a matrix of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    const VALUES: &'static [(Self, &'static str)] = &[
        (Norm::Layer, "layer"),
        (Norm::Rms, "rms"),
        (Norm::Batch, "batch"),
    ];
}

impl Parameters for Norms {
    const CHAPTER: &'static str = "norms";

    fn write(&self, fragment: &mut Writer) {
        fragment.choice("norm", self.norm, Norm::default());
    }

    fn read(fragment: &Reader) -> Self {
        Norms {
            norm: fragment.choice("norm").unwrap_or_default(),
        }
    }
}
