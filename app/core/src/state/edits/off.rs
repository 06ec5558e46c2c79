//! Heads that are switched off.

use attention_trace::{Edit, ModelSpec};

use super::{
    GivenEdit,
    ablation::Ablation,
    given::{EditKind, Given, Passes},
};
use crate::state::{counting::Counted, head::HeadChoice};

/// Heads are listed in the order of computation. No model served with the page has as many as the list holds.
pub(super) const KIND: EditKind = EditKind {
    entry: "off",
    counted: Counted::AfterKind(2),
    most: 512,
    is_switched: false,
    read: |text| text.parse().ok().map(GivenEdit::Off),
};

impl From<HeadChoice> for GivenEdit {
    fn from(head: HeadChoice) -> Self {
        GivenEdit::Off(head)
    }
}

impl Given for HeadChoice {
    fn is_in(&self, spec: &ModelSpec) -> bool {
        HeadChoice::is_in(*self, spec)
    }

    fn edits(&self, passes: Passes<'_>) -> Vec<Edit> {
        let HeadChoice { attention, head } = *self;
        vec![match passes.by {
            Ablation::Zero => self.switched_off(),
            Ablation::Mean => Edit::MeanHead {
                attention,
                head,
                text: passes.read.text.clone(),
                target: passes.read.target.clone(),
            },
        }]
    }
}
