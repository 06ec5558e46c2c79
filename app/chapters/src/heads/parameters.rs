//! Parameters of chapter "heads".

use attention_core::state::{Counted, Entry, Lacking, Parameters};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Heads {
    /// The number of the head beside the chosen one, from 0; too large a number stands for the last head.
    #[serde(rename = "heads-other")]
    pub other: usize,
    /// The number of heads that are computed by hand, `M`.
    #[serde(rename = "heads-m")]
    pub count: usize,
    /// The width of their queries and keys, `p_k`.
    #[serde(rename = "heads-pk")]
    pub key_width: usize,
    /// The width of their values, `p_v`.
    #[serde(rename = "heads-pv")]
    pub value_width: usize,
    /// True if they have the same keys and values.
    #[serde(rename = "heads-shared")]
    pub shared: bool,
    /// The step of the picture of the whole layer, from 0; too large a number stands for the last.
    #[serde(rename = "heads-step")]
    pub step: usize,
    /// `λ`, the multiple of the other head's weights that is subtracted, in tenths.
    #[serde(rename = "heads-lambda")]
    pub lambda: usize,
}

impl Default for Heads {
    fn default() -> Self {
        Heads {
            other: 0,
            count: 2,
            key_width: 2,
            value_width: 3,
            shared: false,
            step: 0,
            lambda: 8,
        }
    }
}

impl Heads {
    /// The fewest and the most heads that are computed by hand.
    pub const COUNTS: (usize, usize) = (1, 3);
    /// The least and the largest width of their vectors; the largest is that of the words.
    pub const WIDTHS: (usize, usize) = (1, 4);
    /// The smallest and the largest `λ`, in tenths.
    pub const LAMBDAS: (usize, usize) = (0, 10);
}

/// An entry whose number is refused outside these bounds.
const fn within(name: &'static str, bounds: (usize, usize)) -> Entry {
    Entry::named(name).within(bounds.0 as f64, bounds.1 as f64)
}

impl Parameters for Heads {
    const CHAPTER: &'static str = "heads";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("heads-other").counting(Counted::All),
        Entry::named("heads-step").counting(Counted::All),
        within("heads-m", Self::COUNTS),
        within("heads-pk", Self::WIDTHS),
        within("heads-pv", Self::WIDTHS),
        within("heads-lambda", Self::LAMBDAS),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        if let Some(kind) = lacking.self_attention() {
            lacking.index("heads-other", lacking.meta.spec.heads(kind));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn heads()(
            other in any::<usize>(),
            (count, key_width, value_width) in (1usize..=3, 1usize..=4, 1usize..=4),
            shared in any::<bool>(),
            step in any::<usize>(),
            lambda in 0usize..=10,
        ) -> Heads {
            Heads { other, count, key_width, value_width, shared, step, lambda }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let address = "heads-m=4&heads-pk=0&heads-pv=5&heads-shared=2";
        assert_eq!(Heads::read(&Reader::new(address)), Heads::default());
    }
}
