//! Parameters of chapter "compare". The left side is what is on screen; here is what stands beside it.

use attention_core::state::{
    AddressValue, Cell, Counted, Entry, HeadChoice, Lacking, Model, Parameters, Span, flat,
};
use serde::{Deserialize, Serialize};

use super::precisions::SortedBy;

/// A kind of difference between the two sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// Two heads of the same pass.
    #[default]
    Heads,
    /// Two texts that the same model reads.
    Texts,
    /// Two models that read the same text.
    Models,
    /// The pass before and after the visitor's edits.
    Edits,
    /// Two files of the same model.
    Precisions,
}

impl AddressValue for Compared {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The chapter's part of the address: the right side beside the result on screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Compare {
    /// The difference between the two sides.
    #[serde(rename = "compare")]
    pub of: Compared,
    /// The other text; `None` until one was typed.
    #[serde(rename = "compare-text")]
    pub text: Option<String>,
    /// The other model, or other file of the model; `None` until one was chosen.
    #[serde(rename = "compare-model", with = "flat::optional_text")]
    pub model: Option<Model>,
    /// The name of the other file, which says what to open again.
    #[serde(rename = "compare-file")]
    pub file: Option<String>,
    /// The order in which heads of two files are listed.
    #[serde(rename = "compare-by")]
    pub sorted_by: SortedBy,
    /// The other head, where heads may differ; `None` stands for the next one, or for the same in another model.
    #[serde(rename = "compare-head", with = "flat::optional_text")]
    pub head: Option<HeadChoice>,
    /// The cell that is locked in both maps: a row and a column of the axes that they have in common.
    #[serde(rename = "compare-cell")]
    pub cell: Option<Cell>,
    /// True if the colour scale ends at the largest difference, false if it ends at 1.
    #[serde(rename = "compare-scaled")]
    pub own_scale: bool,
}

impl Compare {
    /// Compares in another way. A cell is of the axes of two sides, and another head is one of theirs.
    pub fn compare(&mut self, of: Compared) {
        if self.of != of {
            self.of = of;
            self.head = None;
            self.leave_axes();
        }
    }

    /// Removes the parameters that refer to the axes of the two maps.
    pub fn leave_axes(&mut self) {
        self.cell = None;
    }
}

impl Parameters for Compare {
    const CHAPTER: &'static str = "compare";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("compare-head").counting(Counted::AfterKind(2)),
        Entry::named("compare-cell")
            .counting(Counted::All)
            .until(Span::Axes),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        lacking.heads_of("compare-head");
        lacking.cell("compare-cell");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn compare()(
            of in choice::<Compared>(),
            text in proptest::option::of(any::<String>()),
            model in proptest::option::of(choice::<Model>()),
            head in proptest::option::of((0usize..3, any::<usize>(), any::<usize>())),
            cell in proptest::option::of(any::<(usize, usize)>()),
            file in proptest::option::of(any::<String>()),
            sorted_by in choice::<SortedBy>(),
            own_scale in any::<bool>(),
        ) -> Compare {
            let kind = |place: usize| ["encoder", "decoder", "cross"][place];
            let head = head.and_then(|(place, layer, head)| format!("{}.{layer}.{head}", kind(place)).parse().ok());
            let cell = cell.map(|(query, key)| Cell { query, key });
            Compare { of, text, model, file, sorted_by, head, cell, own_scale }
        }
    }

    #[test]
    fn another_way_to_compare_lets_go_of_head_and_cell() {
        let mut compare = Compare {
            head: "cross.1.3".parse().ok(),
            cell: Some(Cell { query: 2, key: 1 }),
            text: Some("Oui.".to_owned()),
            ..Compare::default()
        };
        let before = compare.clone();
        compare.compare(Compared::Heads);
        assert_eq!(compare, before);
        compare.compare(Compared::Texts);
        assert_eq!((compare.head, compare.cell), (None, None));
        assert_eq!(compare.text, before.text);
    }

    #[test]
    fn another_text_or_kind_lets_go_of_the_cell() {
        let locked = || crate::testing::view("kind=encoder&text=Oui.+Non.&compare-cell=1.2");
        assert!(locked().chapters.of::<Compare>().cell.is_some());
        let mut view = locked();
        view.use_text("Non.".to_owned());
        assert_eq!(view.chapters.of::<Compare>().cell, None);
        let mut view = locked();
        view.use_sentence(1);
        assert_eq!(view.chapters.of::<Compare>().cell, None);
        let mut view = locked();
        view.use_kind(attention_trace::AttentionKind::Cross);
        assert_eq!(view.chapters.of::<Compare>().cell, None);
    }
}
