//! What takes the place of a head's output where the head is off.

use super::values::AddressValue;

/// What a head that is off gives in the place of its output `z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ablation {
    /// Nothing: `z` is 0.
    #[default]
    Zero,
    /// Its mean over the positions of the same sentence with nothing changed: what the head adds whatever it looks at
    /// stays.
    Mean,
}

impl AddressValue for Ablation {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Ablation::Zero, "zero"), (Ablation::Mean, "mean")];
}

/// What a model read in a pass: the text that means are taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The text.
    pub text: String,
    /// The target tokens after it.
    pub target: Vec<u32>,
}
