//! Replacement of a head's output where the head is off.

use serde::{Deserialize, Serialize};

use crate::state::{flat, values::AddressValue};

/// A replacement for the output `z` of a head that is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// The output 0: the head adds nothing.
    #[default]
    Zero,
    /// The mean of its output over the positions of the same sentence with nothing changed. The part of the output that
    /// does not depend on the attended positions remains.
    Mean,
}

impl AddressValue for Ablation {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The input of a model in a pass: means are taken over this text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadText {
    /// The text that the model reads.
    pub text: String,
    /// The target tokens after it.
    pub target: Vec<u32>,
}
