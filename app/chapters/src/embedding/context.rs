//! The sentence that is embedded, and what the model makes of it.

use crate::embedding::parameters::{EmbeddingLab, Hops};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{EmbeddedSentence, MOST_WORDS, Mark, unmarked, words};
use leptos::prelude::*;

use attention_core::{
    assets,
    lessons::{Asked, Lessons},
    state::ViewState,
};

/// The sentence where the visitor has typed none.
pub const OWN: &str = "Where did you buy this book?";

fn directory(hops: Hops) -> &'static str {
    match hops {
        Hops::Penalised => "models/marks/penalised/",
        Hops::Free => "models/marks/free/",
    }
}

/// Returns the number of words of a sentence without its final mark if the model does not read that many.
pub fn refused(sentence: &str) -> Option<usize> {
    let count = words(unmarked(sentence).0).len();
    (count == 0 || count > MOST_WORDS).then_some(count)
}

/// The context of the chapter's figures: the sentence and its embedding by both models.
#[derive(Clone, Copy)]
pub struct EmbeddingContext {
    /// The chapter's part of the address.
    pub lab: Memo<EmbeddingLab>,
    pub sentence: Memo<String>,
    /// The embedding by the chosen model.
    pub seen: Asked<EmbeddedSentence>,
    /// The embedding by the model with the other training.
    pub other: Asked<EmbeddedSentence>,
    state: ViewState,
}

impl EmbeddingContext {
    /// Provides it; the models are asked.
    pub fn provide() {
        let state = ViewState::expect();
        let lab = state.select(|view| view.chapters.of::<EmbeddingLab>().clone());
        let sentence =
            Memo::new(move |_| lab.with(|lab| lab.sentence.clone().unwrap_or(OWN.to_owned())));
        let ask = move |of: fn(Hops) -> Hops| {
            Lessons::expect().ask(
                move || {
                    let (hops, off) = lab.with(|lab| (lab.hops, lab.off.clone()));
                    let sentence = sentence.get();
                    refused(&sentence)
                        .is_none()
                        .then(|| Question::EmbedSentence {
                            model: assets::checkpoint(directory(of(hops))),
                            sentence,
                            off,
                        })
                },
                |answer| match answer {
                    Answer::EmbeddedSentence(seen) => Some(EmbeddedSentence::clone(seen)),
                    _ => None,
                },
            )
        };
        provide_context(EmbeddingContext {
            lab,
            sentence,
            seen: ask(|hops| hops),
            other: ask(|hops| match hops {
                Hops::Penalised => Hops::Free,
                Hops::Free => Hops::Penalised,
            }),
            state,
        });
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside of the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Changes the chapter's part of the address.
    pub fn update(self, change: impl FnOnce(&mut EmbeddingLab)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<EmbeddingLab>()));
    }

    /// The mark that the sentence was typed with, if there was one.
    pub fn typed_mark(self) -> Option<Mark> {
        self.sentence.with(|sentence| unmarked(sentence).1)
    }
}

/// The likeliest mark; the first of equal ones.
pub fn likeliest(probabilities: &[f32]) -> Option<Mark> {
    let marks = Mark::ALL.into_iter().zip(probabilities).rev();
    marks
        .max_by(|one, other| one.1.total_cmp(other.1))
        .map(|(mark, _)| mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_without_words_and_very_long_ones_are_not_asked_about() {
        assert_eq!(refused(OWN), None);
        assert_eq!(refused(" ?! "), Some(0));
        assert_eq!(refused(&"no ".repeat(MOST_WORDS)), None);
        assert_eq!(refused(&"no ".repeat(MOST_WORDS + 1)), Some(MOST_WORDS + 1));
    }

    #[test]
    fn the_likeliest_mark_is_the_first_of_equals() {
        assert_eq!(likeliest(&[0.2, 0.4, 0.4]), Some(Mark::Question));
        assert_eq!(likeliest(&[0.5, 0.4, 0.1]), Some(Mark::Period));
        assert_eq!(likeliest(&[]), None);
    }
}
