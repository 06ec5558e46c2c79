//! Parameters of chapter "positions".

use attention_core::state::{AddressValue, Entry, Parameters, flat};
use attention_trace::positions::{PositionalEncoding, RopeScaling};
use serde::{Deserialize, Serialize};

/// The selected encoding, the vector turned by hand, and which score of the six models is drawn.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Encodings {
    /// The positional encoding that is explained.
    #[serde(rename = "way", with = "flat::choice")]
    pub encoding: PositionalEncoding,
    /// The query's position, `m`.
    #[serde(rename = "m")]
    pub query: usize,
    /// The key's position, `n`.
    #[serde(rename = "n")]
    pub key: usize,
    /// The scaling of RoPE in the plot.
    #[serde(rename = "scaling", with = "flat::choice")]
    pub scaling: RopeScaling,
    /// The factor of the scaling.
    #[serde(rename = "factor")]
    pub factor: usize,
    /// The score of the six models in the plot.
    #[serde(rename = "score")]
    pub score: Score,
    /// True if the figures that go beyond the lectures are shown: RoPE stretched, and lines of verse.
    #[serde(rename = "further")]
    pub further: bool,
}

impl Default for Encodings {
    fn default() -> Self {
        Encodings {
            encoding: PositionalEncoding::Sinusoidal,
            query: 2,
            key: 5,
            scaling: RopeScaling::Linear,
            factor: 4,
            score: Score::Accuracy,
            further: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The share of letters named rightly.
    Accuracy,
    /// The mean `−log p` of the right letter.
    Loss,
}

impl AddressValue for Score {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Encodings {
    /// The first and the last position that a vector can be turned to by hand.
    pub const PLACES: (usize, usize) = (0, 12);
    /// Smallest and largest factor.
    pub const FACTORS: (usize, usize) = (2, 16);
}

impl Parameters for Encodings {
    const CHAPTER: &'static str = "positions";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("m").within(Self::PLACES.0 as f64, Self::PLACES.1 as f64),
        Entry::named("n").within(Self::PLACES.0 as f64, Self::PLACES.1 as f64),
        Entry::named("factor").within(Self::FACTORS.0 as f64, Self::FACTORS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn encodings()(
            encoding in choice::<PositionalEncoding>(),
            query in Encodings::PLACES.0..=Encodings::PLACES.1,
            key in Encodings::PLACES.0..=Encodings::PLACES.1,
            scaling in choice::<RopeScaling>(),
            factor in Encodings::FACTORS.0..=Encodings::FACTORS.1,
            score in choice::<Score>(),
            further in any::<bool>(),
        ) -> Encodings {
            Encodings { encoding, query, key, scaling, factor, score, further }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let fragment = Reader::new("way=octagonal&m=13&n=-1&factor=1&score=loss");
        let expected = Encodings {
            score: Score::Loss,
            ..Encodings::default()
        };
        assert_eq!(Encodings::read(&fragment), expected);
    }
}
