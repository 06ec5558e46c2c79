//! What chapter "masks" shows, as plain data.

use crate::state::{
    fragment::{Reader, Writer},
    values::AddressValue,
};

/// What attention may not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mask {
    /// Every query sees every key.
    None,
    /// No query sees later keys.
    #[default]
    Causal,
    /// No query sees keys that only fill a text up.
    Padding,
}

impl AddressValue for Mask {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Mask::None, "none"),
        (Mask::Causal, "causal"),
        (Mask::Padding, "padding"),
    ];
}

/// What chapter "masks" shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// The mask.
    pub mask: Mask,
    /// How many tokens at the end are taken for padding; of too large a number, all but the first.
    pub padding: usize,
}

impl Default for Masks {
    fn default() -> Self {
        Masks {
            mask: Mask::default(),
            padding: 1,
        }
    }
}

impl Masks {
    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = Masks::default();
        fragment.choice("mask", self.mask, standard.mask);
        fragment.number("mask-padding", self.padding, standard.padding);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let standard = Masks::default();
        Masks {
            mask: fragment.choice("mask").unwrap_or(standard.mask),
            padding: fragment.number("mask-padding").unwrap_or(standard.padding),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::{super::tests::choice, *};

    prop_compose! {
        pub fn masks()(mask in choice::<Mask>(), padding in any::<usize>()) -> Masks {
            Masks { mask, padding }
        }
    }
}
