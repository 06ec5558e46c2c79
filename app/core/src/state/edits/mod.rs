//! The visitor's edits of a model's passes: one list, from which the job, the address and the words about it are derived.
//!
//! Each kind of edit is a type in a file here that implements [`Given`]. Its row of the table, an [`EditKind`], has the
//! entry of the address, and [`GivenEdit`] has a variant for it.

mod ablation;
mod given;
mod list;
mod listed;
mod off;
mod reweighed;
mod weight;
mod window;

pub use ablation::{Ablation, ReadText};
pub use given::{EditKind, Given, Passes};
pub use list::EditList;
pub use listed::ListedEdit;
pub use reweighed::{NewWeights, Reweighed, Scope};
pub use weight::{GivenWeight, WeightPlace};
pub use window::GivenWindow;

use super::head::HeadChoice;

/// The kinds of edits, in the order in which they are listed, applied and written in the address.
pub(super) const KINDS: [&EditKind; 4] =
    [&off::KIND, &reweighed::KIND, &window::KIND, &weight::KIND];

/// An edit that the visitor gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenEdit {
    /// Switches a head off.
    Off(HeadChoice),
    /// Replaces the weights of whole heads.
    Reweighed(Reweighed),
    /// Hides keys from every query but those near its own and the first ones.
    Window(GivenWindow),
    /// Sets one attention weight.
    Weight(GivenWeight),
}

impl GivenEdit {
    /// Returns the row of the edit's kind and the edit itself.
    fn parts(&self) -> (&'static EditKind, &dyn Given) {
        match self {
            GivenEdit::Off(head) => (&off::KIND, head),
            GivenEdit::Reweighed(reweighed) => (&reweighed::KIND, reweighed),
            GivenEdit::Window(window) => (&window::KIND, window),
            GivenEdit::Weight(weight) => (&weight::KIND, weight),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::{chapters::tests::choice, head::tests::heads};

    /// Generates an arbitrary edit.
    fn given() -> impl Strategy<Value = GivenEdit> {
        prop_oneof![
            heads().prop_map(GivenEdit::Off),
            reweighed::tests::reweighed().prop_map(GivenEdit::Reweighed),
            window::tests::windows().prop_map(GivenEdit::Window),
            weight::tests::weights().prop_map(GivenEdit::Weight),
        ]
    }

    /// Generates lists of a few edits.
    pub fn edit_lists() -> impl Strategy<Value = EditList> {
        let listed = (given(), any::<bool>(), ".{0,12}");
        let lists = (prop::collection::vec(listed, 0..12), choice());
        lists.prop_map(|(listed, by)| {
            let mut edits = EditList::default();
            edits.by = by;
            for (edit, is_on, name) in listed {
                let is_new = edits.at(&edit).is_none();
                edits.give(edit.clone());
                if is_new && edit.kind().is_switched {
                    edits.rename(&edit, &name);
                    if !is_on {
                        edits.switch(&edit);
                    }
                }
            }
            edits
        })
    }
}
