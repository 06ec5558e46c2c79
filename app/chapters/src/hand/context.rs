//! The context of the chapter: the numbers to compute with, and burn's results.

use crate::hand::parameters::Hand;
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array,
    lessons::{HandInput, HandSteps, WorkedExample},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    lessons::{Asked, Lessons},
    state::ViewState,
    widgets::matrix::Matrix,
};

/// An array of the steps.
pub type Of = fn(&HandSteps) -> &Array;

/// The numbers. A context of the chapter.
#[derive(Clone, Copy)]
pub struct HandContext {
    /// The example and the settings to compute with.
    pub hand: Memo<Hand>,
    /// The steps of attention on them, computed by burn.
    pub steps: Asked<HandSteps>,
    i18n: I18nContext<Locale>,
}

impl HandContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let hand = ViewState::expect().select(|view| view.chapters.of::<Hand>().clone());
        let question = move || Some(Question::ByHand(Box::new(hand.with(Hand::input))));
        let steps = Lessons::expect().ask(question, |answer| match answer {
            Answer::ByHand(steps) => Some(HandSteps::clone(steps)),
            _ => None,
        });
        let i18n = use_i18n();
        let context = HandContext { hand, steps, i18n };
        provide_context(context);
        context
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The words, in the page's language where they are the lecture's four.
    pub fn words(self) -> Vec<String> {
        let words = match self.hand.with(|hand| hand.example) {
            WorkedExample::FourWords => vec![
                t_string!(self.i18n, hand.roujia),
                t_string!(self.i18n, hand.hongjian),
                t_string!(self.i18n, hand.he),
                t_string!(self.i18n, hand.she),
            ],
            WorkedExample::ThinkingMachines => vec!["Thinking", "Machines"],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    /// The place of the word whose attention is followed.
    pub fn query(self) -> usize {
        let words = self.words().len();
        self.hand.with(|hand| hand.query(words))
    }

    pub fn word(self, place: usize) -> Option<String> {
        self.words().get(place).cloned()
    }

    /// The word whose attention is followed.
    pub fn query_word(self) -> Option<String> {
        self.word(self.query())
    }

    /// Returns the words and matrices to compute with.
    pub fn input(self) -> HandInput {
        self.hand.with(Hand::input)
    }

    pub fn row(self, of: Of, row: usize) -> Option<Vec<f32>> {
        self.steps
            .answer
            .with(|steps| Some(of(steps.as_ref()?).row(&[row])?.to_vec()))
    }

    /// The row of the word whose attention is followed.
    pub fn query_row(self, of: Of) -> Option<Vec<f32>> {
        self.row(of, self.query())
    }

    pub fn column(self, of: Of, column: usize) -> Option<Vec<f32>> {
        self.steps
            .answer
            .with(|steps| column_of(of(steps.as_ref()?), column))
    }

    /// An array with a row for each word.
    pub fn by_word(self, of: Of) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let steps = self.steps.answer.read();
            let array = of(steps.as_ref()?);
            let columns = *array.shape.last()?;
            Some(Matrix::new(array.data.as_slice(), columns).with_rows(self.words()))
        })
    }

    /// Returns the row of the query as a matrix of one row.
    pub fn of_query(self, of: Of) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let row = self.query_row(of)?;
            let columns = row.len();
            Some(Matrix::new(row, columns).with_rows(vec![self.query_word()?]))
        })
    }

    /// Returns the same matrix with a column for each word.
    pub fn over_words(self, of: Of) -> Signal<Option<Matrix>> {
        let row = self.of_query(of);
        Signal::derive(move || Some(row.get()?.with_columns(self.words())))
    }

    /// Every value times its weight for the word whose attention is followed.
    pub fn weighted(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let steps = self.steps.answer.read();
            let array = &steps.as_ref()?.weighted;
            let columns = *array.shape.last()?;
            Some(Matrix::new(array.matrix(self.query())?, columns).with_rows(self.words()))
        })
    }
}

/// A column of a matrix.
pub fn column_of(array: &Array, column: usize) -> Option<Vec<f32>> {
    let &[rows, columns] = array.shape.as_slice() else {
        return None;
    };
    let value = |row: usize| array.data[row * columns + column];
    (column < columns).then(|| (0..rows).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_read_downwards() {
        let array = Array {
            shape: vec![2, 3],
            data: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        assert_eq!(column_of(&array, 1), Some(vec![2.0, 5.0]));
        assert_eq!(column_of(&array, 3), None);
    }
}
