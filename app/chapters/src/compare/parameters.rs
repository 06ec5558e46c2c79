//! Parameters of chapter "compare". The left side is what is on screen; here is what stands beside it.

use attention_core::state::{
    AddressValue, Cell, Counted, Entry, HeadChoice, Lacking, Model, Parameters, Reader, Span,
    Writer,
};

/// What the two sides differ in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

impl AddressValue for Compared {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Compared::Heads, "heads"),
        (Compared::Texts, "texts"),
        (Compared::Models, "models"),
        (Compared::Edits, "edits"),
    ];
}

/// What chapter "compare" shows beside what is on screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compare {
    /// What the sides differ in.
    pub of: Compared,
    /// The other text; `None` until one was typed.
    pub text: Option<String>,
    /// The other model; `None` until one was chosen.
    pub model: Option<Model>,
    /// The other head, where heads may differ; `None` stands for the next one, or for the same in another model.
    pub head: Option<HeadChoice>,
    /// The cell that is locked in both maps: a row and a column of the axes that they have in common.
    pub cell: Option<Cell>,
    /// Whether the largest difference, not 1, takes the ends of the colour scale.
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

    /// Lets go of what belongs to the axes of the two maps.
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

    fn write(&self, fragment: &mut Writer) {
        let standard = Compare::default();
        fragment.choice("compare", self.of, standard.of);
        fragment.optional_text("compare-text", self.text.as_deref());
        if let Some(model) = self.model {
            fragment.text("compare-model", &model.to_string(), "");
        }
        if let Some(head) = self.head {
            fragment.text("compare-head", &head.to_string(), "");
        }
        if let Some(Cell { query: row, key }) = self.cell {
            fragment.list("compare-cell", &[row, key]);
        }
        fragment.number("compare-scaled", u8::from(self.own_scale), 0);
    }

    fn read(fragment: &Reader) -> Self {
        let cell = fragment.tuple("compare-cell");
        Compare {
            of: fragment.choice("compare").unwrap_or_default(),
            text: fragment.text("compare-text").map(str::to_owned),
            model: fragment.number("compare-model"),
            head: fragment.number("compare-head"),
            cell: cell.map(|[query, key]| Cell { query, key }),
            own_scale: fragment.flag("compare-scaled").unwrap_or_default(),
        }
    }

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
            own_scale in any::<bool>(),
        ) -> Compare {
            let kind = |place: usize| ["encoder", "decoder", "cross"][place];
            let head = head.and_then(|(place, layer, head)| format!("{}.{layer}.{head}", kind(place)).parse().ok());
            let cell = cell.map(|(query, key)| Cell { query, key });
            Compare { of, text, model, head, cell, own_scale }
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
