//! Parameters of chapter "lens".

use attention_core::state::{Counted, Entry, HeadChoice, Lacking, Parameters, Span, flat};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LensView {
    /// The number of layers passed at the chosen cell of the table; `None` means all, and a number that is too large
    /// means the last.
    #[serde(rename = "lens-layer")]
    pub layer: Option<usize>,
    /// The position of the chosen cell; `None` means that of the decoding step.
    #[serde(rename = "lens-position")]
    pub position: Option<usize>,
    /// The word whose logit is decomposed, by its place among the candidates; a number that is too large means the
    /// last.
    #[serde(rename = "lens-word")]
    pub word: usize,
    /// The word that it is compared with.
    #[serde(rename = "lens-against")]
    pub against: usize,
    /// The head whose contribution is compared with the model's output without it.
    #[serde(rename = "lens-head", with = "flat::optional_text")]
    pub head: Option<HeadChoice>,
}

impl Default for LensView {
    fn default() -> Self {
        LensView {
            layer: None,
            position: None,
            word: 0,
            against: 1,
            head: None,
        }
    }
}

impl LensView {
    /// Returns the places of both words in a list of this many candidates; they differ if there are two.
    pub fn pair(&self, candidates: usize) -> (usize, usize) {
        let last = candidates.saturating_sub(1);
        let (word, against) = (self.word.min(last), self.against.min(last));
        match word == against {
            true => (word, usize::from(word == 0).min(last)),
            false => (word, against),
        }
    }

    /// Chooses a candidate as the word, or as the one that it is compared with; if it was the other of the two, they
    /// change places.
    pub fn choose(&mut self, place: usize, is_word: bool, candidates: usize) {
        let (word, against) = self.pair(candidates);
        (self.word, self.against) = match (is_word, place) {
            (true, place) if place == against => (against, word),
            (false, place) if place == word => (against, word),
            (true, place) => (place, against),
            (false, place) => (word, place),
        };
    }
}

impl Parameters for LensView {
    const CHAPTER: &'static str = "lens";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("lens-position")
            .counting(Counted::All)
            .until(Span::Step),
        Entry::named("lens-word")
            .counting(Counted::All)
            .until(Span::Sentence),
        Entry::named("lens-against")
            .counting(Counted::All)
            .until(Span::Sentence),
        Entry::named("lens-head").counting(Counted::AfterKind(2)),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        let meta = lacking.meta;
        lacking.index("lens-position", meta.target.len());
        // The stream before the first layer is one too.
        let stack = meta.spec.stack(meta.spec.last_stack());
        lacking.index("lens-layer", stack.map_or(0, |it| it.layers) + 1);
        lacking.heads_of("lens-head");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use attention_trace::{AttentionKind, AttentionLayer};
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn lens()(
            layer in proptest::option::of(any::<usize>()),
            position in proptest::option::of(any::<usize>()),
            (word, against) in (any::<usize>(), any::<usize>()),
            head in proptest::option::of((0usize..3, any::<usize>(), any::<usize>())),
        ) -> LensView {
            let head = head.map(|(kind, layer, head)| {
                let kind = AttentionKind::ALL[kind];
                HeadChoice { attention: AttentionLayer { kind, layer }, head }
            });
            LensView { layer, position, word, against, head }
        }
    }

    proptest! {
        #[test]
        fn two_candidates_are_never_the_same(view in lens(), count in 2usize..12) {
            let (word, against) = view.pair(count);
            prop_assert!(word < count && against < count && word != against);
        }

        #[test]
        fn a_chosen_candidate_is_where_it_was_put(
            view in lens(), place in 0usize..10, is_word in any::<bool>(),
        ) {
            let mut chosen = view;
            chosen.choose(place, is_word, 10);
            let (word, against) = chosen.pair(10);
            prop_assert_eq!(if is_word { word } else { against }, place);
            prop_assert_ne!(word, against);
        }
    }

    #[test]
    fn the_first_two_candidates_are_compared_until_others_are_chosen() {
        let mut view = LensView::default();
        assert_eq!(view.pair(10), (0, 1));
        assert_eq!(view.pair(1), (0, 0));
        view.choose(3, false, 10);
        assert_eq!(view.pair(10), (0, 3));
        view.choose(3, true, 10);
        assert_eq!(view.pair(10), (3, 0));
    }

    #[test]
    fn another_step_is_looked_at_where_it_is() {
        let mut view = crate::testing::view("step=1&lens-position=0&lens-layer=2");
        view.use_step(1);
        assert_eq!(view.chapters.of::<LensView>().position, Some(0));
        view.use_step(2);
        assert_eq!(view.chapters.of::<LensView>().position, None);
        assert_eq!(view.chapters.of::<LensView>().layer, Some(2));
    }

    #[test]
    fn another_text_lets_go_of_position_and_words() {
        let address = "text=Oui.+Non.&lens-layer=2&lens-position=1&lens-word=4&lens-head=cross.1.3";
        let mut view = crate::testing::view(address);
        assert_eq!(view.chapters.of::<LensView>().word, 4);
        view.use_text("Non.".to_owned());
        let lens = *view.chapters.of::<LensView>();
        assert_eq!((lens.position, lens.word, lens.layer), (None, 0, Some(2)));
        assert_eq!(lens.head.unwrap().to_string(), "cross.1.3");
    }
}
