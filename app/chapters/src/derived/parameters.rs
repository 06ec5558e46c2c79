//! The chapter's part of the address, beside the chosen head.

use attention_core::state::{Parameters, flat};
use attention_trace::derived::Objective;
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct DerivedView {
    /// The output that gradients are taken of.
    #[serde(rename = "derived-of", with = "flat::choice")]
    pub of: Objective,
}

impl Parameters for DerivedView {
    const CHAPTER: &'static str = "derived";
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn derived()(of in choice::<Objective>()) -> DerivedView {
            DerivedView { of }
        }
    }
}
