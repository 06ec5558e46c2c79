//! Parameters of chapter "scale".

use crate::source::DataSource;
use attention_core::state::{Counted, Entry, Parameters};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Scale {
    /// The source of the scores.
    #[serde(rename = "scale-of")]
    pub source: DataSource,
    /// The row of scores, used unless the source is a head.
    #[serde(rename = "scale-row")]
    pub row: [i32; 8],
    /// The width whose root divides the scores.
    #[serde(rename = "scale-width")]
    pub width: usize,
    /// Seed of the random vectors.
    #[serde(rename = "scale-seed")]
    pub seed: u32,
    /// The step of the picture of arrows, from 0: the query, then a key at each; too large a number means the last.
    #[serde(rename = "scale-key")]
    pub key: usize,
}

impl Default for Scale {
    fn default() -> Self {
        Scale {
            source: DataSource::Lecture,
            row: Scale::LECTURE,
            width: 64,
            seed: 1,
            key: 0,
        }
    }
}

impl Scale {
    /// The lecture's row of scores.
    pub const LECTURE: [i32; 8] = [1, 2, 7, 12, 8, 5, 2, 1];
    /// The smallest and the largest score.
    pub const SCORES: (i32, i32) = (-99, 99);
    /// The smallest and the largest width.
    pub const WIDTHS: (usize, usize) = (1, 128);
}

impl Parameters for Scale {
    const CHAPTER: &'static str = "scale";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("scale-key").counting(Counted::All),
        Entry::named("scale-row").each_within(Self::SCORES.0 as f64, Self::SCORES.1 as f64),
        Entry::named("scale-width").within(Self::WIDTHS.0 as f64, Self::WIDTHS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn scale()(
            source in choice::<DataSource>(),
            row in prop::array::uniform8(Scale::SCORES.0..=Scale::SCORES.1),
            width in Scale::WIDTHS.0..=Scale::WIDTHS.1,
            seed in any::<u32>(),
            key in any::<usize>(),
        ) -> Scale {
            Scale { source, row, width, seed, key }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let fragment = Reader::new("scale-row=1.2.3&scale-width=0");
        assert_eq!(Scale::read(&fragment), Scale::default());
        let fragment = Reader::new("scale-row=1.2.3.4.5.6.7.100");
        assert_eq!(Scale::read(&fragment), Scale::default());
    }
}
