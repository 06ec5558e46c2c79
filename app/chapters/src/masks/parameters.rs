//! Parameters of chapter "masks".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};

/// A mask for attention.
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

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// The mask of the experiment.
    pub mask: Mask,
    /// The number of tokens at the end that count as padding; a number that is too large leaves only the first token.
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

impl Parameters for Masks {
    const CHAPTER: &'static str = "masks";

    fn write(&self, fragment: &mut Writer) {
        let standard = Masks::default();
        fragment.choice("mask", self.mask, standard.mask);
        fragment.number("mask-padding", self.padding, standard.padding);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Masks::default();
        Masks {
            mask: fragment.choice("mask").unwrap_or(standard.mask),
            padding: fragment.number("mask-padding").unwrap_or(standard.padding),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn masks()(mask in choice::<Mask>(), padding in any::<usize>()) -> Masks {
            Masks { mask, padding }
        }
    }
}
