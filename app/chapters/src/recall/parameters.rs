//! Parameters of page "recall".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, flat};
use attention_trace::lessons::RecallTask;
use serde::{Deserialize, Serialize};

/// The fifth of the pairs that are written by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fifth {
    /// A fifth key, which cannot be orthogonal to four others of width 4.
    #[default]
    New,
    /// The first key with another value.
    Again,
}

impl AddressValue for Fifth {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The pairs that are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learned {
    /// Each key is shown once.
    #[default]
    Once,
    /// Each key is shown twice, and the last value counts.
    Again,
}

impl Learned {
    /// Returns the task of the models.
    pub fn task(self) -> RecallTask {
        match self {
            Learned::Once => RecallTask::Once,
            Learned::Again => RecallTask::Again,
        }
    }
}

impl AddressValue for Learned {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The width of queries, keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Width {
    /// Vectors of 8 numbers.
    #[default]
    #[serde(rename = "8")]
    Eight,
    /// Vectors of 16 numbers.
    #[serde(rename = "16")]
    Sixteen,
}

impl Width {
    /// Returns the number of components.
    pub fn number(self) -> usize {
        match self {
            Width::Eight => 8,
            Width::Sixteen => 16,
        }
    }
}

impl AddressValue for Width {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// A quantity that is drawn against the number of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The share of values that were named.
    #[default]
    Accuracy,
    /// The mean probability of the right value.
    Probability,
}

impl AddressValue for Measure {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the page's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct RecallView {
    /// The pair after which the matrices are shown, from 0; too large a number means the last.
    #[serde(rename = "recall-step")]
    pub step: usize,
    /// The key of the fifth pair.
    #[serde(rename = "recall-fifth")]
    pub fifth: Fifth,
    /// The key that is asked for, from 0; too large a number means the last.
    #[serde(rename = "recall-query")]
    pub query: usize,
    /// `β` of the delta rule, in tenths.
    #[serde(rename = "recall-beta")]
    pub strength: usize,
    /// The pairs that are learned.
    #[serde(rename = "recall-keys")]
    pub learned: Learned,
    /// The width of the models that learn.
    #[serde(rename = "recall-width")]
    pub width: Width,
    /// The seed of their weights and examples.
    #[serde(rename = "recall-seed")]
    pub seed: usize,
    /// The quantity that is drawn.
    #[serde(rename = "recall-by")]
    pub measure: Measure,
}

impl Default for RecallView {
    fn default() -> Self {
        RecallView {
            step: 3,
            fifth: Fifth::default(),
            query: 0,
            strength: 10,
            learned: Learned::default(),
            width: Width::default(),
            seed: 1,
            measure: Measure::default(),
        }
    }
}

impl RecallView {
    /// The smallest and the largest `β`, in tenths.
    pub const STRENGTHS: (usize, usize) = (0, 10);
    /// The smallest and the largest seed.
    pub const SEEDS: (usize, usize) = (1, 9);
}

const fn within(name: &'static str, bounds: (usize, usize)) -> Entry {
    Entry::named(name).within(bounds.0 as f64, bounds.1 as f64)
}

impl Parameters for RecallView {
    const CHAPTER: &'static str = "recall";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("recall-step").counting(Counted::All),
        Entry::named("recall-query").counting(Counted::All),
        within("recall-beta", Self::STRENGTHS),
        within("recall-seed", Self::SEEDS),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn recall()(
            (step, query) in any::<(usize, usize)>(),
            (fifth, learned) in (choice::<Fifth>(), choice::<Learned>()),
            (width, measure) in (choice::<Width>(), choice::<Measure>()),
            strength in RecallView::STRENGTHS.0..=RecallView::STRENGTHS.1,
            seed in RecallView::SEEDS.0..=RecallView::SEEDS.1,
        ) -> RecallView {
            RecallView { step, fifth, query, strength, learned, width, seed, measure }
        }
    }
}
