//! Parameters of chapter "alignment".

use attention_core::state::{
    AddressValue, Counted, Entry, HeadPlace, Lacking, Parameters, Reader, Writer, flat, in_pairs,
};
use attention_trace::{
    AttentionKind,
    alignment::{EndToken, RowOf},
};
use serde::{Deserialize, Serialize};

/// The value of the address that stands for all heads.
const ALL: &str = "all";

/// Whose row tells what a word is aligned with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlignedRow {
    /// The row with fewer errors on pairs aligned by hand; without such pairs, the row that writes the word.
    #[default]
    Automatic,
    /// The row that is named, for all heads.
    Of(RowOf),
}

impl AddressValue for AlignedRow {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (AlignedRow::Automatic, "automatic"),
            (AlignedRow::Of(RowOf::Writing), "writing"),
            (AlignedRow::Of(RowOf::Reading), "reading"),
        ]
    }
}

/// The heads whose mean aligns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AlignedHeads {
    /// The best that were found on pairs aligned by hand; without such pairs, all.
    #[default]
    Best,
    /// All heads of cross-attention.
    All,
    /// These heads, at least one; those that the model lacks are left out.
    Chosen(Vec<HeadPlace>),
}

/// State of the chapter's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct AlignmentView {
    /// The heads whose weights are aligned.
    #[serde(skip)]
    pub heads: AlignedHeads,
    /// Whose row is read.
    #[serde(rename = "aligned-row", with = "flat::choice")]
    pub row: AlignedRow,
    /// The treatment of the weight on the end token.
    #[serde(rename = "aligned-end", with = "flat::choice")]
    pub end: EndToken,
}

impl Parameters for AlignmentView {
    const CHAPTER: &'static str = "alignment";
    const ENTRIES: &'static [Entry] = &[Entry::named("aligned-heads").counting(Counted::All)];

    fn write(&self, fragment: &mut Writer) {
        match &self.heads {
            AlignedHeads::Best => {}
            AlignedHeads::All => fragment.text("aligned-heads", ALL, ""),
            AlignedHeads::Chosen(heads) => fragment.list("aligned-heads", &in_pairs(heads)),
        }
        flat::write(self, &Self::default(), fragment);
    }

    fn read(fragment: &Reader) -> Self {
        let heads = match fragment.get("aligned-heads") {
            Some(ALL) => AlignedHeads::All,
            _ => match fragment.places("aligned-heads") {
                heads if heads.is_empty() => AlignedHeads::Best,
                heads => AlignedHeads::Chosen(heads),
            },
        };
        AlignmentView {
            heads,
            ..flat::read(fragment, Self::ENTRIES)
        }
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        let spec = &lacking.meta.spec;
        let layers = spec.layers(AttentionKind::Cross);
        if layers > 0 {
            lacking.heads_among("aligned-heads", layers, spec.heads(AttentionKind::Cross));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    fn heads() -> impl Strategy<Value = AlignedHeads> {
        let place = (any::<usize>(), any::<usize>());
        let place = place.prop_map(|(layer, head)| HeadPlace { layer, head });
        prop_oneof![
            Just(AlignedHeads::Best),
            Just(AlignedHeads::All),
            proptest::collection::vec(place, 1..5).prop_map(AlignedHeads::Chosen),
        ]
    }

    prop_compose! {
        pub fn alignment()(
            heads in heads(), row in choice::<AlignedRow>(), end in choice::<EndToken>(),
        ) -> AlignmentView {
            AlignmentView { heads, row, end }
        }
    }

    #[test]
    fn heads_are_named_by_layer_and_number() {
        let heads = |address: &str| AlignmentView::read(&Reader::new(address)).heads;
        let place = |layer, head| HeadPlace { layer, head };
        assert_eq!(
            heads("aligned-heads=1.3.2.0"),
            AlignedHeads::Chosen(vec![place(1, 3), place(2, 0)])
        );
        assert_eq!(heads("aligned-heads=all"), AlignedHeads::All);
        for nothing in ["", "aligned-heads=", "aligned-heads=x.1"] {
            assert_eq!(heads(nothing), AlignedHeads::Best, "{nothing}");
        }
    }
}
