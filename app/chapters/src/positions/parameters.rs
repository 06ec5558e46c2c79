//! Parameters of chapter "positions".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};
use attention_trace::positions::{PositionalEncoding, RopeScaling};

/// The selected encoding, the vector turned by hand, and which score of the six models is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Encodings {
    /// The positional encoding that is explained.
    pub encoding: PositionalEncoding,
    /// The query's position, `m`.
    pub query: usize,
    /// The key's position, `n`.
    pub key: usize,
    /// The scaling of RoPE in the plot.
    pub scaling: RopeScaling,
    /// The factor of the scaling.
    pub factor: usize,
    /// The score of the six models in the plot.
    pub score: Score,
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
        }
    }
}

/// A score of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// The share of letters named rightly.
    Accuracy,
    /// The mean `−log p` of the right letter.
    Loss,
}

impl AddressValue for Score {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Score::Accuracy, "accuracy"), (Score::Loss, "loss")];
}

impl Encodings {
    /// The first and the last position that a vector can be turned to by hand.
    pub const PLACES: (usize, usize) = (0, 12);
    /// Smallest and largest factor.
    pub const FACTORS: (usize, usize) = (2, 16);
}

impl Parameters for Encodings {
    const CHAPTER: &'static str = "positions";

    fn write(&self, fragment: &mut Writer) {
        let standard = Encodings::default();
        fragment.choice("way", self.encoding, standard.encoding);
        fragment.number("m", self.query, standard.query);
        fragment.number("n", self.key, standard.key);
        fragment.choice("scaling", self.scaling, standard.scaling);
        fragment.number("factor", self.factor, standard.factor);
        fragment.choice("score", self.score, standard.score);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Encodings::default();
        Encodings {
            encoding: fragment.choice("way").unwrap_or(standard.encoding),
            query: fragment.within("m", Self::PLACES).unwrap_or(standard.query),
            key: fragment.within("n", Self::PLACES).unwrap_or(standard.key),
            scaling: fragment.choice("scaling").unwrap_or(standard.scaling),
            factor: fragment
                .within("factor", Self::FACTORS)
                .unwrap_or(standard.factor),
            score: fragment.choice("score").unwrap_or(standard.score),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn encodings()(
            encoding in choice::<PositionalEncoding>(),
            query in Encodings::PLACES.0..=Encodings::PLACES.1,
            key in Encodings::PLACES.0..=Encodings::PLACES.1,
            scaling in choice::<RopeScaling>(),
            factor in Encodings::FACTORS.0..=Encodings::FACTORS.1,
            score in choice::<Score>(),
        ) -> Encodings {
            Encodings { encoding, query, key, scaling, factor, score }
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
