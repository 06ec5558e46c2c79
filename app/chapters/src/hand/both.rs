//! Reading both forms of a sentence, one after the other, where their comparison is asked for.

use crate::hand::parameters::Hand;
use leptos::prelude::*;

use super::{answers::Both, sentences::SENTENCES};
use attention_core::{engine::Live, state::ViewState};

/// Returns the form of a sentence to read next while `shown` is on screen, and the next value of `back`. `read` marks
/// the forms that have been read; `back` is the form that the visitor chose, if the other one is on screen.
fn next(shown: usize, read: [bool; 2], back: Option<usize>) -> (Option<usize>, Option<usize>) {
    match (read[shown], read[1 - shown]) {
        (true, false) => (Some(1 - shown), Some(back.unwrap_or(shown))),
        (true, true) => (back.filter(|&form| form != shown), None),
        // What is on screen is being read.
        (false, _) => (None, back),
    }
}

/// Has the other form of the sentence on screen read as well while the view compares both, and shows the visitor's own
/// again. A text that was typed meanwhile stays.
pub fn read_both(sentence: Memo<Option<(usize, usize)>>, both: RwSignal<Both>) {
    let (state, live) = (ViewState::expect(), Live::expect());
    let compares = state.select(|view| view.chapters.of::<Hand>().both);
    let back = StoredValue::new(None);
    let now = Memo::new(move |_| {
        let (at, shown) = sentence.get().filter(|_| compares.get())?;
        let read = both.with(|both| both.of(at).each_ref().map(Option::is_some));
        Some((at, shown, read))
    });
    Effect::new(move |_| {
        let Some((at, shown, read)) = now.get() else {
            back.set_value(None);
            return;
        };
        let forms = SENTENCES[at].forms;
        // Of a text that is asked for, or typed, and not read yet, nothing is known.
        if state.get_untracked().text != forms[shown] {
            return;
        }
        let (form, kept) = next(shown, read, back.get_value());
        back.set_value(kept);
        if let Some(form) = form {
            state.update(|view| view.use_text(forms[form].to_owned()));
            live.run();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_the_visitors_own_stays_on_screen() {
        for own in [0, 1] {
            let other = 1 - own;
            let mut read = [false; 2];
            assert_eq!(next(own, read, None), (None, None));
            read[own] = true;
            assert_eq!(next(own, read, None), (Some(other), Some(own)));
            assert_eq!(next(other, read, Some(own)), (None, Some(own)));
            read[other] = true;
            assert_eq!(next(other, read, Some(own)), (Some(own), None));
            assert_eq!(next(own, read, None), (None, None));
        }
    }
}
