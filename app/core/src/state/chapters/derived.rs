//! What chapter "derived" shows beside the chosen head, as plain data.

use attention_trace::derived::Objective;

use crate::state::{
    fragment::{Reader, Writer},
    values::AddressValue,
};

impl AddressValue for Objective {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Objective::Logit, "logit"),
        (Objective::LogProbability, "log-p"),
    ];
}

/// What chapter "derived" shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DerivedView {
    /// What gradients are of.
    pub of: Objective,
}

impl DerivedView {
    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.choice("derived-of", self.of, DerivedView::default().of);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        DerivedView {
            of: fragment.choice("derived-of").unwrap_or_default(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::{super::tests::choice, *};

    prop_compose! {
        pub fn derived()(of in choice::<Objective>()) -> DerivedView {
            DerivedView { of }
        }
    }
}
