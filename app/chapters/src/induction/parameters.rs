//! Parameters of chapter "induction".

use attention_core::state::{AddressValue, Counted, Entry, HeadChoice, Parameters, flat};
use attention_trace::circuits::Composition;
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct InductionView {
    /// The score that is shown for every head.
    #[serde(rename = "induction-score", with = "flat::choice")]
    pub score: ScoreKind,
    /// The earlier head of the pair; `None` means the one that attends most to the token before.
    #[serde(rename = "induction-earlier", with = "flat::optional_text")]
    pub earlier: Option<HeadChoice>,
    /// The later head of the pair; `None` means the one with the highest induction score.
    #[serde(rename = "induction-later", with = "flat::optional_text")]
    pub later: Option<HeadChoice>,
    /// The number of places from the key to the query for which RoPE turns the circuit.
    #[serde(rename = "induction-distance")]
    pub distance: usize,
    /// The part of the later head that reads.
    #[serde(rename = "induction-part", with = "flat::choice")]
    pub part: Part,
}

/// A score of a head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreKind {
    /// The weight on what followed the query's token earlier.
    #[default]
    Induction,
    /// The weight on the token before.
    Previous,
}

impl AddressValue for ScoreKind {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// A part of a head that reads what an earlier head wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The keys of the later head.
    #[default]
    Key,
    /// The queries of the later head.
    Query,
    /// The values of the later head.
    Value,
}

impl AddressValue for Part {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl From<Part> for Composition {
    fn from(part: Part) -> Self {
        match part {
            Part::Key => Composition::Key,
            Part::Query => Composition::Query,
            Part::Value => Composition::Value,
        }
    }
}

impl InductionView {
    /// The smallest and the largest distance.
    pub const DISTANCES: (usize, usize) = (1, 32);
}

impl Default for InductionView {
    fn default() -> Self {
        InductionView {
            score: ScoreKind::default(),
            earlier: None,
            later: None,
            // In the chapter's first text, eight letters read twice.
            distance: 7,
            part: Part::default(),
        }
    }
}

impl Parameters for InductionView {
    const CHAPTER: &'static str = "induction";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("induction-earlier").counting(Counted::AfterKind(2)),
        Entry::named("induction-later").counting(Counted::AfterKind(2)),
        Entry::named("induction-distance")
            .within(Self::DISTANCES.0 as f64, Self::DISTANCES.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use attention_trace::{AttentionKind, AttentionLayer};
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    fn head() -> impl Strategy<Value = Option<HeadChoice>> {
        let place = (0usize..40, 0usize..40).prop_map(|(layer, head)| HeadChoice {
            attention: AttentionLayer {
                kind: AttentionKind::DecoderSelf,
                layer,
            },
            head,
        });
        proptest::option::of(place)
    }

    prop_compose! {
        pub fn induction()(
            (score, part) in (choice::<ScoreKind>(), choice::<Part>()),
            (earlier, later) in (head(), head()),
            distance in InductionView::DISTANCES.0..=InductionView::DISTANCES.1,
        ) -> InductionView {
            InductionView { score, earlier, later, distance, part }
        }
    }
}
