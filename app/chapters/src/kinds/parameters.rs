//! Parameters of page "kinds".

use attention_core::state::{Counted, Entry, Parameters};
use serde::{Deserialize, Serialize};

/// State of the page's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Kinds {
    /// True if the three models read the sentence.
    #[serde(rename = "kinds-run")]
    pub run: bool,
    /// The English sentence; `None` stands for the page's own.
    #[serde(rename = "kinds-text")]
    pub text: Option<String>,
    /// The French sentence that the translator reads; `None` stands for the page's own.
    #[serde(rename = "kinds-source")]
    pub source: Option<String>,
    /// The word that is masked, from 0. The first word is never masked: a decoder would have nothing to read.
    #[serde(rename = "kinds-word")]
    pub word: usize,
    /// The layer whose weights are shown, from 0; too large a number means the last.
    #[serde(rename = "kinds-layer")]
    pub layer: usize,
}

impl Kinds {
    /// The largest index of a layer: the translator has no more.
    pub const LAST_LAYER: usize = 2;
}

impl Default for Kinds {
    fn default() -> Self {
        Kinds {
            run: false,
            text: None,
            source: None,
            word: 2,
            layer: 0,
        }
    }
}

impl Parameters for Kinds {
    const CHAPTER: &'static str = "kinds";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("kinds-word").counting(Counted::All),
        Entry::named("kinds-layer").counting(Counted::All),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn kinds()(
            run in any::<bool>(),
            text in any::<Option<String>>(),
            source in any::<Option<String>>(),
            word in 0..40_usize,
            layer in 0..=Kinds::LAST_LAYER,
        ) -> Kinds {
            Kinds { run, text, source, word, layer }
        }
    }
}
