//! Words of a text that the visitor masks, for models that guess them.
//!
//! The text that the model reads has the token of a masked word in the word's place. The words behind these tokens are
//! kept beside the text, in its order, so that a click brings one back.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::view::View;

/// A word of a text, or the token in the place of a masked one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskableWord {
    /// The place in the text, in bytes.
    place: Range<usize>,
    /// The characters in that place.
    pub written: String,
    /// The masked word; `None` if the word is not masked.
    pub masked: Option<MaskedWord>,
}

/// The word behind the token of a masked word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskedWord {
    /// The word that a click replaced.
    Known(String),
    /// Somebody typed the token.
    Typed,
}

impl View {
    /// Returns the words of the text, by the rules of Unicode (UAX #29), which take each Chinese character as a word.
    /// `mask` is the token of a masked word.
    pub fn maskable_words(&self, mask: &str) -> Vec<MaskableWord> {
        let mut words = places(&self.text, mask);
        let masks = words.iter().filter(|(_, is_mask)| *is_mask).count();
        let are_known = masks == self.masked.len();
        let mut kept = self.masked.iter().filter(|_| are_known);
        words
            .drain(..)
            .map(|(place, is_mask)| MaskableWord {
                written: self.text[place.clone()].to_owned(),
                place,
                masked: is_mask.then(|| match kept.next() {
                    Some(word) if !word.is_empty() => MaskedWord::Known(word.clone()),
                    _ => MaskedWord::Typed,
                }),
            })
            .collect()
    }

    /// Masks a word of the text, by its number, or brings a masked one back. Nothing changes if there is no such word, or
    /// if the token was typed.
    pub fn toggle_mask(&mut self, word: usize, mask: &str) {
        let words = self.maskable_words(mask);
        let Some(chosen) = words.get(word) else {
            return;
        };
        let replacement = match &chosen.masked {
            None => mask,
            Some(MaskedWord::Known(known)) => known,
            Some(MaskedWord::Typed) => return,
        };
        let mut text = self.text.clone();
        text.replace_range(chosen.place.clone(), replacement);
        let masked = words.iter().enumerate().filter_map(|(index, other)| {
            match (&other.masked, index == word) {
                (None, true) => Some(other.written.clone()),
                (Some(MaskedWord::Known(known)), false) => Some(known.clone()),
                (Some(MaskedWord::Typed), _) => Some(String::new()),
                _ => None,
            }
        });
        let masked = masked.collect();
        self.use_text(text);
        self.masked = masked;
    }
}

/// Returns the places of words and of tokens of masked words, and whether it is such a token.
fn places(text: &str, mask: &str) -> Vec<(Range<usize>, bool)> {
    let mut found = vec![];
    let mut start = 0;
    // An empty token would be everywhere.
    let masks = text.match_indices(mask).filter(|_| !mask.is_empty());
    for (at, _) in masks
        .map(Some)
        .chain([None])
        .map(|mask| mask.unwrap_or((text.len(), "")))
    {
        found.extend(words_between(text, start..at).map(|word| (word, false)));
        start = at + mask.len();
        if at < text.len() {
            found.push((at..start, true));
        }
    }
    found
}

/// Returns the places of the words in a stretch of a text.
fn words_between(text: &str, stretch: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let words = text[stretch.clone()].unicode_word_indices();
    words.map(move |(at, word)| {
        let at = stretch.start + at;
        at..at + word.len()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MASK: &str = "[MASK]";

    fn view(text: &str) -> View {
        View {
            text: text.to_owned(),
            ..View::default()
        }
    }

    fn written(view: &View) -> Vec<String> {
        let words = view.maskable_words(MASK).into_iter();
        words.map(|word| word.written).collect()
    }

    #[test]
    fn words_are_those_of_unicode_and_masks_are_words() {
        assert_eq!(
            written(&view("The cat's [MASK], isn't it?")),
            ["The", "cat's", "[MASK]", "isn't", "it"]
        );
        assert_eq!(written(&view("我是学生。")), ["我", "是", "学", "生"]);
        assert_eq!(written(&view("")), [""; 0]);
        assert_eq!(written(&view("[MASK]")), [MASK]);
    }

    #[test]
    fn a_click_masks_a_word_and_another_brings_it_back() {
        let mut view = view("the cat sat, the dog lay");
        view.toggle_mask(4, MASK);
        view.toggle_mask(1, MASK);
        assert_eq!(view.text, "the [MASK] sat, the [MASK] lay");
        assert_eq!(view.masked, ["cat", "dog"]);
        view.toggle_mask(1, MASK);
        assert_eq!(view.text, "the cat sat, the [MASK] lay");
        assert_eq!(view.masked, ["dog"]);
    }

    #[test]
    fn a_typed_mask_hides_no_word_and_stays() {
        let mut view = view("the [MASK] sat on mats");
        view.toggle_mask(1, MASK);
        assert_eq!(view.text, "the [MASK] sat on mats");
        view.toggle_mask(4, MASK);
        assert_eq!(view.masked, ["", "mats"]);
        let words = view.maskable_words(MASK);
        assert_eq!(words[1].masked, Some(MaskedWord::Typed));
        assert_eq!(words[4].masked, Some(MaskedWord::Known("mats".to_owned())));
        let read = View::from_fragment(&view.to_fragment());
        assert_eq!((read.text, read.masked), (view.text, view.masked));
    }

    #[test]
    fn words_that_fit_no_masks_are_not_brought_back() {
        let mut view = view("the [MASK] [MASK]");
        view.masked = vec!["cat".to_owned()];
        for word in view.maskable_words(MASK).into_iter().skip(1) {
            assert_eq!(word.masked, Some(MaskedWord::Typed));
        }
    }

    proptest! {
        #[test]
        fn masking_twice_changes_nothing(
            text in "([a-z']{1,4}|我|é|[ .,?]|\\[MASK\\]){0,12}",
            first in 0..12_usize,
            second in 0..12_usize,
        ) {
            let mut view = view(&text);
            let words = view.maskable_words(MASK).len();
            let before = view.clone();
            // A mask beside letters without a space could join them to another word.
            prop_assume!(!text.contains("]a") && words > 0);
            view.toggle_mask(first % words, MASK);
            prop_assert_eq!(view.maskable_words(MASK).len(), words);
            view.toggle_mask(second % words, MASK);
            view.toggle_mask(second % words, MASK);
            view.toggle_mask(first % words, MASK);
            prop_assert_eq!(view.text, before.text);
        }
    }
}
