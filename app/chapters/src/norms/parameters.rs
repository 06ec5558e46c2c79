//! Parameters of chapter "norms".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, flat};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Norms {
    /// The normalisation on screen.
    #[serde(rename = "norm")]
    pub norm: Norm,
    /// The place of the normalisation in the stacks that gradients flow back through.
    #[serde(rename = "back-norm")]
    pub placement: Placement,
    /// The number of layers of these stacks.
    #[serde(rename = "back-layers")]
    pub layers: usize,
    /// The seed of their weights.
    #[serde(rename = "back-seed")]
    pub seed: u32,
    /// The step of the way back, from 0: the loss, then a place at each; too large a number means the last.
    #[serde(rename = "back-step", with = "flat::or_last")]
    pub step: usize,
}

impl Default for Norms {
    fn default() -> Self {
        Norms {
            norm: Norm::default(),
            placement: Placement::default(),
            layers: 6,
            seed: 1,
            step: usize::MAX,
        }
    }
}

impl Norms {
    /// The least and the most layers.
    pub const LAYERS: (usize, usize) = (1, 12);
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

/// The place of the normalisation in a stack's layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// No normalisation in the layers.
    #[default]
    None,
    /// On the input of each sub-layer.
    Pre,
    /// On the sum after each sub-layer.
    Post,
}

impl AddressValue for Placement {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Parameters for Norms {
    const CHAPTER: &'static str = "norms";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("back-step").counting(Counted::All),
        Entry::named("back-layers").within(Self::LAYERS.0 as f64, Self::LAYERS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn norms()(
            norm in choice::<Norm>(),
            placement in choice::<Placement>(),
            layers in Norms::LAYERS.0..=Norms::LAYERS.1,
            seed in any::<u32>(),
            step in any::<usize>(),
        ) -> Norms {
            Norms { norm, placement, layers, seed, step }
        }
    }

    #[test]
    fn stacks_of_no_layers_are_not_read() {
        let fragment = Reader::new("back-layers=0&back-step=last");
        assert_eq!(Norms::read(&fragment), Norms::default());
    }
}
