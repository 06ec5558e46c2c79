//! Parameters of chapter "layers".

use attention_core::state::{AddressValue, Counted, Entry, Lacking, Parameters, flat};
use attention_trace::{
    gates::GatedUnit,
    layers::{Convolutions, LayerSize},
};
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

/// A gated recurrent unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gated {
    #[default]
    Lstm,
    Gru,
}

impl AddressValue for Gated {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// A game that measures the visitor's attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Game {
    /// The sum of the black cards.
    #[default]
    Cards,
    /// An 8 among digits that look like it.
    Eight,
    /// The passes of one of two teams.
    Passes,
}

impl AddressValue for Game {
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
    /// True if the recurrent layers read in both directions.
    #[serde(rename = "layers-both")]
    pub bidirectional: bool,
    /// The output whose dependencies are lit; too large a number means the last.
    #[serde(rename = "layers-output")]
    pub output: usize,
    /// The unit whose gates are computed by hand.
    #[serde(rename = "gates-of")]
    pub gated: Gated,
    /// Its input, in tenths, as all numbers of the unit are.
    #[serde(rename = "gates-x")]
    pub gates_input: i32,
    /// Its state before the step.
    #[serde(rename = "gates-h")]
    pub gates_state: i32,
    /// The cell of the LSTM before the step.
    #[serde(rename = "gates-c")]
    pub gates_cell: i32,
    /// The weight of the state in every gate.
    #[serde(rename = "gates-u")]
    pub gates_weight: i32,
    /// The bias of the gate that keeps: the LSTM's forget gate, the GRU's update gate.
    #[serde(rename = "gates-keep")]
    pub gates_keep: i32,
    /// The bias of the LSTM's input gate, or of the GRU's reset gate.
    #[serde(rename = "gates-enter")]
    pub gates_enter: i32,
    /// The bias of the LSTM's output gate.
    #[serde(rename = "gates-leave")]
    pub gates_leave: i32,
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
    /// The game on screen.
    #[serde(rename = "game-of")]
    pub game: Game,
    /// The number that its round is drawn from.
    #[serde(rename = "game-round")]
    pub round: u32,
}

impl Default for LayersLab {
    fn default() -> Self {
        LayersLab {
            tokens: 8,
            layers: 3,
            kernel: 3,
            dilated: false,
            bidirectional: false,
            output: usize::MAX,
            gated: Gated::Lstm,
            gates_input: 10,
            gates_state: 5,
            gates_cell: 10,
            gates_weight: 5,
            gates_keep: 20,
            gates_enter: 0,
            gates_leave: 0,
            counted_tokens: 70,
            counted_width: 512,
            against: Against::Tokens,
            positions: 5,
            sharpness: 10,
            game: Game::Cards,
            round: 1,
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
    /// The least and the largest input, state and cell of a gated unit, in tenths.
    pub const GATE_VALUES: (i32, i32) = (-20, 20);
    /// The least and the largest weight of its state, in tenths.
    pub const GATE_WEIGHTS: (i32, i32) = (0, 20);
    /// The least and the largest bias of its gates, in tenths.
    pub const GATE_BIASES: (i32, i32) = (-40, 60);
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

    /// Returns the gated unit with its weight and the biases of its gates.
    pub fn unit(&self) -> GatedUnit {
        let tenths = |value: i32| f64::from(value) / 10.0;
        let [keep, enter, leave] =
            [self.gates_keep, self.gates_enter, self.gates_leave].map(tenths);
        GatedUnit {
            state_weight: tenths(self.gates_weight),
            biases: match self.gated {
                Gated::Lstm => [enter, keep, leave],
                Gated::Gru => [keep, enter, leave],
            },
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

/// An entry whose number of tenths is refused outside these bounds.
const fn within(name: &'static str, bounds: (i32, i32)) -> Entry {
    Entry::named(name).within(bounds.0 as f64, bounds.1 as f64)
}

impl Parameters for LayersLab {
    const CHAPTER: &'static str = "layers";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("layers-output").counting(Counted::All),
        Entry::named("layers-n").within(Self::TOKENS.0 as f64, Self::TOKENS.1 as f64),
        Entry::named("layers-count").within(Self::LAYERS.0 as f64, Self::LAYERS.1 as f64),
        Entry::named("layers-k").within(Self::KERNELS.0 as f64, Self::KERNELS.1 as f64),
        within("gates-x", Self::GATE_VALUES),
        within("gates-h", Self::GATE_VALUES),
        within("gates-c", Self::GATE_VALUES),
        within("gates-u", Self::GATE_WEIGHTS),
        within("gates-keep", Self::GATE_BIASES),
        within("gates-enter", Self::GATE_BIASES),
        within("gates-leave", Self::GATE_BIASES),
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
            (dilated, bidirectional, output) in any::<(bool, bool, usize)>(),
            gated in choice::<Gated>(),
            (gates_input, gates_state, gates_cell) in (-20i32..=20, -20i32..=20, -20i32..=20),
            gates_weight in 0i32..=20,
            (gates_keep, gates_enter, gates_leave) in (-40i32..=60, -40i32..=60, -40i32..=60),
            (counted_tokens, counted_width) in (1u64..=1_000_000, 1u64..=100_000),
            (against, game, round) in (choice::<Against>(), choice::<Game>(), any::<u32>()),
            (positions, sharpness) in (2usize..=16, 0usize..=500),
        ) -> LayersLab {
            LayersLab {
                tokens, layers, kernel, dilated, bidirectional, output, gated, gates_input, gates_state, gates_cell,
                gates_weight, gates_keep, gates_enter, gates_leave, counted_tokens, counted_width, against, positions,
                sharpness, game, round,
            }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_at_its_default() {
        let address = "layers-n=1&layers-count=6&layers-k=1&layers-dilated=2&counted-n=0&counted-d=100001&timed-by=k&\
                       fixed-n=17&pool-by=501&gates-of=rnn&gates-x=21&gates-u=-1&gates-keep=61&game-of=chess&game-round=-1";
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
