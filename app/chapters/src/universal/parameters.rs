//! Parameters of chapter "universal".

use attention_core::state::{Counted, Entry, Lacking, Parameters, flat};
use attention_trace::{Halting, Stack};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct UniversalView {
    /// The stack of the examined token.
    #[serde(rename = "halt-stack", with = "flat::choice")]
    pub stack: Stack,
    /// The token's place, from 0; too large a number means the last.
    #[serde(rename = "halt-token")]
    pub token: usize,
    /// The value of `ε` in hundredths; `None` means the model's own.
    #[serde(rename = "halt-epsilon")]
    pub epsilon: Option<usize>,
    /// The most depths that positions may use; `None` means all.
    #[serde(rename = "halt-depths")]
    pub depths: Option<usize>,
    /// The pass in the picture, from 0, the inputs; too large a number means the last.
    #[serde(rename = "halt-pass")]
    pub pass: usize,
    /// The halting probabilities of the example by hand, in hundredths, from the first depth.
    #[serde(rename = "ponder")]
    pub hand: [usize; Self::HAND_DEPTHS],
    /// The `ε` that goes with them, in hundredths.
    #[serde(rename = "ponder-epsilon")]
    pub hand_epsilon: usize,
}

impl Default for UniversalView {
    fn default() -> Self {
        UniversalView {
            stack: Stack::Encoder,
            token: 0,
            epsilon: None,
            depths: None,
            pass: 0,
            hand: [20, 30, 60, 50],
            hand_epsilon: 1,
        }
    }
}

impl UniversalView {
    /// The number of depths in the example by hand.
    pub const HAND_DEPTHS: usize = 4;
    /// The smallest and the largest `ε`, in hundredths.
    pub const EPSILONS: (usize, usize) = (1, 99);
    /// The smallest and the largest probability, in hundredths.
    const PROBABILITIES: (usize, usize) = (0, 100);

    /// The probabilities to work with by hand.
    pub fn probabilities(&self) -> [f32; Self::HAND_DEPTHS] {
        self.hand.map(|hundredths| hundredths as f32 / 100.0)
    }

    /// Returns the halting of a position by hand.
    pub fn hand_halting(&self) -> Halting {
        Halting {
            epsilon: self.hand_epsilon as f32 / 100.0,
            ponder_cost: 0.0,
        }
    }
}

impl Parameters for UniversalView {
    const CHAPTER: &'static str = "universal";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("halt-token").counting(Counted::All),
        Entry::named("halt-epsilon").within(Self::EPSILONS.0 as f64, Self::EPSILONS.1 as f64),
        Entry::named("halt-depths").within(1.0, usize::MAX as f64),
        Entry::named("ponder")
            .each_within(Self::PROBABILITIES.0 as f64, Self::PROBABILITIES.1 as f64),
        Entry::named("ponder-epsilon").within(Self::EPSILONS.0 as f64, Self::EPSILONS.1 as f64),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        if lacking.meta.spec.stack(self.stack).is_some() {
            lacking.index("halt-token", lacking.meta.tokens(self.stack).len());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn universal()(
            stack in crate::testing::choice::<Stack>(),
            token in any::<usize>(),
            epsilon in proptest::option::of(1usize..=99),
            depths in proptest::option::of(1..=usize::MAX),
            pass in any::<usize>(),
            hand in proptest::array::uniform4(0usize..=100),
            hand_epsilon in 1usize..=99,
        ) -> UniversalView {
            UniversalView { stack, token, epsilon, depths, pass, hand, hand_epsilon }
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_as_usual() {
        for address in [
            "halt-epsilon=0",
            "halt-epsilon=100",
            "halt-depths=0",
            "ponder=1.2.3",
            "ponder=1.2.3.101",
            "ponder-epsilon=0",
            "halt-stack=both",
        ] {
            let read = UniversalView::read(&Reader::new(address));
            assert_eq!(read, UniversalView::default(), "{address}");
        }
    }

    #[test]
    fn the_example_halts_where_its_probabilities_come_to_one() {
        let view = UniversalView::default();
        let found = attention_trace::Ponder::of(&view.probabilities(), view.hand_halting());
        assert_eq!(found.depth, 3);
    }
}
