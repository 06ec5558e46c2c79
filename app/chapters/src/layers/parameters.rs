//! Parameters of chapter "layers".

use attention_core::state::{AddressValue, Counted, Entry, Lacking, Parameters, flat};
use attention_trace::layers::{Convolutions, LayerSize};
use serde::{Deserialize, Serialize};

/// A quantity that times are plotted against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The number of tokens, `n`.
    #[default]
    #[serde(rename = "n")]
    Tokens,
    /// The width of a token's vector, `d`.
    #[serde(rename = "d")]
    Width,
}

impl AddressValue for Against {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LayersLab {
    /// The number of tokens in the figure.
    #[serde(rename = "layers-n")]
    pub tokens: usize,
    /// The number of layers in the figure.
    #[serde(rename = "layers-count")]
    pub layers: usize,
    /// The number of positions that a convolution's kernel covers.
    #[serde(rename = "layers-k")]
    pub kernel: usize,
    /// True if the convolutions are dilated.
    #[serde(rename = "layers-dilated")]
    pub dilated: bool,
    /// The output whose dependencies are lit; too large a number means the last.
    #[serde(rename = "layers-output")]
    pub output: usize,
    #[serde(rename = "counted-n")]
    pub counted_tokens: u64,
    #[serde(rename = "counted-d")]
    pub counted_width: u64,
    /// The quantity that times are plotted against.
    #[serde(rename = "timed-by")]
    pub against: Against,
    /// The positions that the fully connected layer was made for.
    #[serde(rename = "fixed-n")]
    pub positions: usize,
    /// The factor of the scores before softmax, in tenths.
    #[serde(rename = "pool-by")]
    pub sharpness: usize,
}

impl Default for LayersLab {
    fn default() -> Self {
        LayersLab {
            tokens: 8,
            layers: 3,
            kernel: 3,
            dilated: false,
            output: usize::MAX,
            counted_tokens: 70,
            counted_width: 512,
            against: Against::Tokens,
            positions: 5,
            sharpness: 10,
        }
    }
}

impl LayersLab {
    /// The fewest and the most tokens of the figure.
    pub const TOKENS: (usize, usize) = (2, 16);
    /// The fewest and the most layers of the figure.
    pub const LAYERS: (usize, usize) = (1, 5);
    /// The smallest and the largest kernel.
    pub const KERNELS: (usize, usize) = (2, 7);
    /// The fewest and the most tokens that are counted with.
    pub const COUNTED_TOKENS: (u64, u64) = (1, 1_000_000);
    /// The smallest and the largest width that is counted with.
    pub const COUNTED_WIDTHS: (u64, u64) = (1, 100_000);
    /// The fewest and the most positions of the fully connected layer.
    pub const POSITIONS: (usize, usize) = (2, 16);
    /// The lowest and the highest factor of the scores, in tenths.
    pub const SHARPNESSES: (usize, usize) = (0, 500);

    pub fn convolutions(&self) -> Convolutions {
        Convolutions {
            kernel: self.kernel as u64,
            dilated: self.dilated,
        }
    }

    /// The sizes that are counted with.
    pub fn counted(&self) -> LayerSize {
        LayerSize {
            tokens: self.counted_tokens,
            width: self.counted_width,
            kernel: self.kernel as u64,
        }
    }

    /// The place of the chosen output.
    pub fn column(&self) -> usize {
        self.output.min(self.tokens - 1)
    }

    /// Returns the factor of the scores.
    pub fn factor(&self) -> f32 {
        self.sharpness as f32 / 10.0
    }
}

impl Parameters for LayersLab {
    const CHAPTER: &'static str = "layers";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("layers-output").counting(Counted::All),
        Entry::named("layers-n").within(Self::TOKENS.0 as f64, Self::TOKENS.1 as f64),
        Entry::named("layers-count").within(Self::LAYERS.0 as f64, Self::LAYERS.1 as f64),
        Entry::named("layers-k").within(Self::KERNELS.0 as f64, Self::KERNELS.1 as f64),
        Entry::named("counted-n")
            .within(Self::COUNTED_TOKENS.0 as f64, Self::COUNTED_TOKENS.1 as f64),
        Entry::named("counted-d")
            .within(Self::COUNTED_WIDTHS.0 as f64, Self::COUNTED_WIDTHS.1 as f64),
        Entry::named("fixed-n").within(Self::POSITIONS.0 as f64, Self::POSITIONS.1 as f64),
        Entry::named("pool-by").within(Self::SHARPNESSES.0 as f64, Self::SHARPNESSES.1 as f64),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        lacking.index("layers-output", self.tokens);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn layers()(
            (tokens, layers, kernel) in (2usize..=16, 1usize..=5, 2usize..=7),
            (dilated, output) in (any::<bool>(), any::<usize>()),
            (counted_tokens, counted_width) in (1u64..=1_000_000, 1u64..=100_000),
            against in choice::<Against>(),
            (positions, sharpness) in (2usize..=16, 0usize..=500),
        ) -> LayersLab {
            LayersLab {
                tokens, layers, kernel, dilated, output, counted_tokens, counted_width, against, positions, sharpness,
            }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let address = "layers-n=1&layers-count=6&layers-k=1&layers-dilated=2&counted-n=0&counted-d=100001&timed-by=k&\
                       fixed-n=17&pool-by=501";
        assert_eq!(LayersLab::read(&Reader::new(address)), LayersLab::default());
    }

    #[test]
    fn an_output_that_is_not_there_is_the_last() {
        let mut lab = LayersLab::default();
        assert_eq!(lab.column(), 7);
        lab.output = 2;
        assert_eq!(lab.column(), 2);
        lab.tokens = 2;
        assert_eq!(lab.column(), 1);
    }
}
