//! What chapter "derived" shows beside the chosen head, as plain data in the address.

use attention_core::state::{Parameters, Reader, Writer};
use attention_trace::derived::Objective;

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DerivedView {
    /// What gradients are of.
    pub of: Objective,
}

impl Parameters for DerivedView {
    const CHAPTER: &'static str = "derived";

    fn write(&self, fragment: &mut Writer) {
        fragment.choice("derived-of", self.of, DerivedView::default().of);
    }

    fn read(fragment: &Reader) -> Self {
        DerivedView {
            of: fragment.choice("derived-of").unwrap_or_default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn derived()(of in choice::<Objective>()) -> DerivedView {
            DerivedView { of }
        }
    }
}
