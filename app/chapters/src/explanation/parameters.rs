//! Parameters of chapter "explanation". The weights that are replaced are the view's own.

use attention_core::state::{AddressValue, Parameters, flat};
use serde::{Deserialize, Serialize};

/// A set of heads whose weights are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// In the chosen head.
    #[default]
    Head,
    /// In all heads of its layer.
    Layer,
    /// In all heads of the model.
    #[serde(rename = "all")]
    Everywhere,
}

impl AddressValue for Where {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// A replacement of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replaced {
    /// The weights of a row change places.
    #[default]
    Permuted,
    /// All weights of a row become equal.
    Uniform,
}

impl AddressValue for Replaced {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Explanation {
    /// The heads whose weights are replaced.
    #[serde(rename = "explained-where")]
    pub place: Where,
    /// The replacement of the weights.
    #[serde(rename = "explained-by")]
    pub by: Replaced,
    /// The seed of the order of permuted weights.
    #[serde(rename = "explained-seed")]
    pub seed: u32,
    /// True if every head is measured by itself.
    #[serde(rename = "explained-heads")]
    pub measures: bool,
}

impl Parameters for Explanation {
    const CHAPTER: &'static str = "explanation";
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn explanation()(
            place in choice::<Where>(), by in choice::<Replaced>(), seed in any::<u32>(), measures in any::<bool>(),
        ) -> Explanation {
            Explanation { place, by, seed, measures }
        }
    }
}
