//! The visitor's changes in the model's passes: given, refused, undone and redone.

use attention_trace::{Edit, EditFault, TraceMeta};
use leptos::prelude::*;

use crate::{
    engine::Live,
    state::{EditList, GivenEdit, GivenWeight, ReadText, ViewState, WeightPlace},
};

/// Steps that can be undone.
const MOST: usize = 100;

/// The changes, and the way back. A context: take it with [`EditControl::expect`].
#[derive(Clone, Copy)]
pub struct EditControl {
    live: Live,
    state: ViewState,
    past: RwSignal<Vec<EditList>>,
    future: RwSignal<Vec<EditList>>,
    /// The edits that an undone or redone step puts into the view, until the view has them.
    expected: StoredValue<Option<EditList>>,
    refused: RwSignal<Option<Refused>>,
}

/// An edit that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The edit, or the one that was in its place.
    pub edit: GivenEdit,
    /// The reason for the refusal.
    pub why: Refusal,
}

/// The reason why an edit was not taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// The typed text is not a weight.
    Number,
    /// The model could not make these changes of the text on screen.
    Fault(EditFault),
    /// There is no room in the list.
    Full,
}

impl EditControl {
    /// Makes the context and provides it to the components below.
    pub fn provide(live: Live, state: ViewState) -> Self {
        let control = EditControl {
            live,
            state,
            past: RwSignal::new(Vec::new()),
            future: RwSignal::new(Vec::new()),
            expected: StoredValue::new(None),
            refused: RwSignal::new(None),
        };
        provide_context(control);
        let edits = state.select(|view| view.edits.clone());
        // An effect because changes come from everywhere: switches, keys, links and the history.
        Effect::new(move |before: Option<EditList>| {
            let now = edits.get();
            if let Some(before) = before {
                control.remember(before, &now);
            }
            now
        });
        let place = state.select(|view| (view.kind, view.layer, view.head, view.cell));
        // What was refused was refused there, and of that text.
        Effect::new(move |is_later: Option<bool>| {
            place.track();
            live.trace();
            if is_later.is_some() {
                control.refused.set(None);
            }
            true
        });
        control
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the edit that was refused last.
    pub fn refused(self) -> Option<Refused> {
        self.refused.get()
    }

    /// Gives an edit, if the model can make it.
    pub fn give(self, edit: impl Into<GivenEdit>) {
        let edit = edit.into();
        match self.state.get_untracked().edits.has_room_for(&edit) {
            true => self.try_edit(&edit, |edits| edits.give(edit.clone())),
            false => self.refuse(edit, Refusal::Full),
        }
    }

    /// Gives the query's whole weight to the key.
    pub fn pin(self, place: WeightPlace) {
        self.give(place.given(GivenWeight::ONE));
    }

    /// Forbids the query the key.
    pub fn forbid(self, place: WeightPlace) {
        self.give(place.given(0));
    }

    /// Forbids every query of the head the key.
    pub fn forbid_for_all(self, place: WeightPlace) {
        let query = None;
        self.forbid(WeightPlace { query, ..place });
    }

    /// Gives a place the weight that was typed.
    pub fn give_typed(self, place: WeightPlace, typed: &str) {
        match thousandths(typed) {
            Some(thousandths) => self.give(place.given(thousandths)),
            None => self.refuse(place.given(0).into(), Refusal::Number),
        }
    }

    /// Leaves a place the weight that the model computes.
    pub fn release(self, place: WeightPlace) {
        self.remove(&place.given(0).into());
    }

    /// Switches an edit off, or on again.
    pub fn switch(self, edit: &GivenEdit) {
        self.try_edit(edit, |edits| edits.switch(edit));
    }

    /// Takes an edit out of the list.
    pub fn remove(self, edit: &GivenEdit) {
        self.try_edit(edit, |edits| edits.remove(edit));
    }

    /// Gives an edit a name.
    pub fn rename(self, edit: &GivenEdit, name: &str) {
        self.try_edit(edit, |edits| edits.rename(edit, name));
    }

    /// Returns true if a step can be undone.
    pub fn can_undo(self) -> bool {
        !self.past.read().is_empty()
    }

    /// Returns true if an undone step can be redone.
    pub fn can_redo(self) -> bool {
        !self.future.read().is_empty()
    }

    /// Undoes the last step.
    pub fn undo(self) {
        self.go(self.past, self.future);
    }

    /// Does again what was undone last.
    pub fn redo(self) {
        self.go(self.future, self.past);
    }

    fn go(self, from: RwSignal<Vec<EditList>>, to: RwSignal<Vec<EditList>>) {
        let Some(step) = from.try_update(Vec::pop).flatten() else {
            return;
        };
        let now = self.state.get_untracked().edits;
        to.update(|steps| steps.push(now));
        self.refused.set(None);
        self.expected.set_value(Some(step.clone()));
        self.live.edit(|edits| *edits = step);
    }

    fn remember(self, before: EditList, now: &EditList) {
        let expected = self.expected.try_update_value(Option::take).flatten();
        if before == *now || expected.as_ref() == Some(now) {
            return;
        }
        self.future.update(Vec::clear);
        self.past.update(|steps| {
            if steps.len() == MOST {
                steps.remove(0);
            }
            steps.push(before);
        });
    }

    /// Changes the list, if the model can make the edits that come of it.
    fn try_edit(self, edit: &GivenEdit, change: impl FnOnce(&mut EditList)) {
        let before = self.state.get_untracked().edits;
        let mut changed = before.clone();
        change(&mut changed);
        if changed == before {
            self.refused.set(None);
            return;
        }
        let trace = untrack(|| self.live.trace());
        match trace.and_then(|trace| fault(&changed, &trace.meta)) {
            Some(fault) => self.refuse(edit.clone(), Refusal::Fault(fault)),
            None => {
                self.refused.set(None);
                self.live.edit(|edits| *edits = changed);
            }
        }
    }

    fn refuse(self, edit: GivenEdit, why: Refusal) {
        self.refused.set(Some(Refused { edit, why }));
    }
}

/// The weight that a text spells, in thousandths; `None` where it spells none.
fn thousandths(typed: &str) -> Option<u16> {
    let weight: f64 = typed.trim().replace(',', ".").parse().ok()?;
    (0.0..=1.0)
        .contains(&weight)
        .then(|| (weight * f64::from(GivenWeight::ONE)).round() as u16)
}

/// The reason why the model could not make these edits of the text on screen.
fn fault(edits: &EditList, meta: &TraceMeta) -> Option<EditFault> {
    let edits = edits.fitting(&meta.spec);
    // What a mean is taken over does not matter to whether it can be taken.
    let edits = edits.edits(&meta.spec, &ReadText::default());
    let tokens = [meta.source.len(), meta.target.len()];
    match Edit::masks_all(&edits, &meta.spec, tokens) {
        true => Some(EditFault::Keys),
        false => Edit::row_fault(&edits, &meta.spec, tokens),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::Token;
    use attention_trace::config::MarianConfig;

    use super::*;
    use crate::state::View;

    /// A model of three layers of eight heads, and a text of so many tokens on each side.
    pub fn meta(source: usize, target: usize) -> TraceMeta {
        let tokens = |count: usize| {
            let token = |id| Token {
                id: id as u32,
                text: String::new(),
                unknown: false,
            };
            (0..count).map(token).collect::<Vec<_>>()
        };
        let config = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        };
        TraceMeta {
            spec: config.spec(),
            source: tokens(source),
            target: tokens(target),
            pieces: attention_trace::Pieces::default(),
        }
    }

    /// The weights of an address that are on.
    pub fn given(text: &str) -> Vec<GivenWeight> {
        View::from_fragment(&format!("weights={text}"))
            .edits
            .weights()
    }

    #[test]
    fn rows_that_cannot_sum_to_one_are_refused() {
        let fault = |text: &str| {
            let edits = EditList::from_iter(given(text));
            fault(&edits, &meta(2, 6))
        };
        assert_eq!(fault("cross.1.3.1.0.500"), None);
        assert_eq!(
            fault("cross.1.3.1.0.500-cross.1.3.1.1.600"),
            Some(EditFault::Sum)
        );
        assert_eq!(
            fault("cross.1.3.1.0.0-cross.1.3.1.1.0"),
            Some(EditFault::Keys)
        );
        assert_eq!(
            fault("cross.1.3.all.0.0-cross.1.3.all.1.0"),
            Some(EditFault::Keys)
        );
        assert_eq!(fault("decoder.0.0.all.0.0"), Some(EditFault::Keys));
        // Of another head, or of a sentence with more words.
        assert_eq!(fault("cross.1.3.1.0.0-cross.1.4.1.1.0"), None);
        assert_eq!(fault("cross.1.3.1.7.800-cross.1.3.1.8.800"), None);
    }

    #[test]
    fn a_weight_is_typed_from_0_to_1() {
        for (typed, expected) in [
            ("0.75", Some(750)),
            (" 1 ", Some(1000)),
            ("0,5", Some(500)),
            ("0.0004", Some(0)),
            ("1.01", None),
            ("-0.1", None),
            ("NaN", None),
            ("", None),
        ] {
            assert_eq!(thousandths(typed), expected, "{typed}");
        }
    }
}
