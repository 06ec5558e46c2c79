//! Parameters of chapter "start".

use attention_core::state::{Counted, Entry, Lacking, Parameters};
use serde::{Deserialize, Serialize};

/// A screen of the chapter: a stage of its figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// A text as input, another one as output.
    Translate,
    /// Pieces of text and their numbers.
    Tokens,
    /// A vector for each token.
    Vectors,
    /// A weighted average of vectors.
    Average,
    /// Queries, keys, scores, softmax.
    Weights,
    /// One head on the whole sentence.
    Head,
    /// All heads of a layer at one token.
    Heads,
    /// The token's vector, layer by layer.
    Layers,
    /// The next word, with the decoder's attention.
    Decoder,
    /// The changes that a wrong answer would cause.
    Training,
}

impl Screen {
    /// Every screen, in the order in which they are seen.
    pub const ALL: [Screen; 10] = [
        Screen::Translate,
        Screen::Tokens,
        Screen::Vectors,
        Screen::Average,
        Screen::Weights,
        Screen::Head,
        Screen::Heads,
        Screen::Layers,
        Screen::Decoder,
        Screen::Training,
    ];

    /// The screen of a stage; too large a number means the last.
    pub fn at(stage: usize) -> Self {
        Self::ALL[stage.min(Self::ALL.len() - 1)]
    }
}

/// The screens' controls that have no other place in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Start {
    /// The share of the chosen token in the average, in per cent.
    #[serde(rename = "start-share")]
    pub share: usize,
    /// The number of layers that the vectors have passed; a number that is too large means all.
    #[serde(rename = "start-layers")]
    pub layers: usize,
    /// The rank of the token taken as the right one among the most probable, from 0; a number that is too large means
    /// the last.
    #[serde(rename = "start-right")]
    pub right: usize,
}

impl Default for Start {
    fn default() -> Self {
        Start {
            share: 50,
            layers: 1,
            right: 0,
        }
    }
}

impl Start {
    /// The smallest and the largest share, in per cent.
    pub const SHARES: (usize, usize) = (0, 100);
}

impl Parameters for Start {
    const CHAPTER: &'static str = "start";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("start-right").counting(Counted::All),
        Entry::named("start-share").within(Self::SHARES.0 as f64, Self::SHARES.1 as f64),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        if let Some(kind) = lacking.self_attention() {
            // Before the first layer is one more place.
            lacking.index("start-layers", lacking.meta.spec.layers(kind) + 1);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn start()(
            share in Start::SHARES.0..=Start::SHARES.1,
            layers in any::<usize>(),
            right in any::<usize>(),
        ) -> Start {
            Start { share, layers, right }
        }
    }

    #[test]
    fn a_share_is_no_more_than_all() {
        let fragment = Reader::new("start-share=101&start-layers=-1");
        assert_eq!(Start::read(&fragment), Start::default());
    }

    #[test]
    fn a_stage_beyond_the_last_is_the_last_screen() {
        assert_eq!(Screen::at(0), Screen::Translate);
        assert_eq!(Screen::at(usize::MAX), Screen::Training);
    }
}
