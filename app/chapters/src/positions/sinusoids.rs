//! State of the figures on sinusoids and RoPE's decay, as plain data in the address.

use attention_core::state::{AddressValue, Entry, Lacking, Parameters, flat};
use serde::{Deserialize, Deserializer, Serialize};

/// The settings of these figures.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Positions {
    /// The number of positions in the sinusoidal encoding's figure.
    pub length: usize,
    /// The first dimension whose curve is drawn.
    pub dimension: usize,
    /// The number of dimensions from one curve to the next.
    pub stride: usize,
    /// The order of sines and cosines.
    pub order: Order,
    /// The base of RoPE for random vectors.
    pub base: u32,
    /// The width of the random vectors, an even number.
    #[serde(deserialize_with = "even")]
    pub width: usize,
    /// The largest distance drawn of the decay with RoPE.
    pub distance: usize,
    /// The seed of the random vectors.
    pub seed: u32,
    /// The distribution of the random vectors.
    pub draw: Draw,
}

impl Default for Positions {
    fn default() -> Self {
        Positions {
            length: 100,
            dimension: 16,
            stride: 16,
            order: Order::Model,
            base: 10_000,
            width: 64,
            distance: 256,
            seed: 1,
            draw: Draw::Uniform,
        }
    }
}

/// An order of the dimensions of a sinusoidal encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The translator's order: all sines, then all cosines.
    Model,
    /// The order in "Attention Is All You Need": sines at even dimensions, cosines at odd ones.
    Paper,
}

/// A way to draw random queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// Every entry uniform between 0 and 1: query and key have a direction in common.
    Uniform,
    /// Query and key standard normal and independent: nothing in common.
    Normal,
    /// A standard normal query, and a key equal to it.
    Same,
}

impl AddressValue for Order {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl AddressValue for Draw {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Positions {
    /// Fewest and most positions.
    pub const LENGTHS: (usize, usize) = (16, 256);
    /// Smallest and largest first dimension; the page holds it inside the model's width.
    pub const DIMENSIONS: (usize, usize) = (0, 4096);
    /// Smallest and largest step between curves.
    pub const STRIDES: (usize, usize) = (1, 64);
    /// Smallest and largest base.
    pub const BASES: (u32, u32) = (10, 1_000_000);
    /// Smallest and largest width of random vectors.
    pub const WIDTHS: (usize, usize) = (8, 128);
    /// Shortest and longest axis of distances.
    pub const DISTANCES: (usize, usize) = (32, 1024);
}

impl Parameters for Positions {
    const CHAPTER: &'static str = "positions";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("length").within(Self::LENGTHS.0 as f64, Self::LENGTHS.1 as f64),
        Entry::named("dimension").within(Self::DIMENSIONS.0 as f64, Self::DIMENSIONS.1 as f64),
        Entry::named("stride").within(Self::STRIDES.0 as f64, Self::STRIDES.1 as f64),
        Entry::named("base").within(Self::BASES.0 as f64, Self::BASES.1 as f64),
        Entry::named("width").within(Self::WIDTHS.0 as f64, Self::WIDTHS.1 as f64),
        Entry::named("distance").within(Self::DISTANCES.0 as f64, Self::DISTANCES.1 as f64),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        lacking.index("dimension", lacking.meta.spec.width);
    }
}

fn even<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    usize::deserialize(from).map(|width| width / 2 * 2)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use attention_core::state::Reader;

    fn within<T>((low, high): (T, T)) -> std::ops::RangeInclusive<T> {
        low..=high
    }

    prop_compose! {
        pub fn positions()(
            length in within(Positions::LENGTHS),
            dimension in within(Positions::DIMENSIONS),
            stride in within(Positions::STRIDES),
            order in prop::sample::select(vec![Order::Model, Order::Paper]),
            base in within(Positions::BASES),
            half_width in 4usize..=64,
            distance in within(Positions::DISTANCES),
            seed in any::<u32>(),
            draw in prop::sample::select(vec![Draw::Uniform, Draw::Normal, Draw::Same]),
        ) -> Positions {
            Positions {
                length, dimension, stride, order, base, width: 2 * half_width, distance, seed, draw,
            }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let fragment = Reader::new("length=0&width=7&base=-1&distance=99999&seed=5&draw=loaded");
        let expected = Positions {
            seed: 5,
            ..Positions::default()
        };
        assert_eq!(Positions::read(&fragment), expected);
    }

    #[test]
    fn an_odd_width_becomes_even() {
        assert_eq!(Positions::read(&Reader::new("width=33")).width, 32);
    }
}
