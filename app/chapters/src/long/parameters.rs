//! Parameters of chapter "long".

use attention_core::state::{Counted, Entry, GivenWindow, Lacking, Parameters, Span};
use attention_trace::{AttentionKind, Edit, Trace, Window};
use serde::{Deserialize, Serialize};

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LongTexts {
    /// The number of keys in the window, the query's own included.
    #[serde(rename = "window-keys")]
    pub keys: usize,
    /// The number of first tokens that are kept beside the window.
    #[serde(rename = "window-first")]
    pub first: usize,
    /// The layer with the window; `None` for every layer, and a number that is too large means the last.
    #[serde(rename = "window-layer")]
    pub layer: Option<usize>,
    /// The factor by which RoPE is stretched.
    #[serde(rename = "stretch")]
    pub factor: usize,
}

impl LongTexts {
    /// The smallest and the largest window.
    pub const KEYS: (usize, usize) = (1, 64);
    /// The fewest and the most first tokens.
    pub const FIRST: (usize, usize) = (1, 8);
    /// The smallest and the largest factor.
    pub const FACTORS: (usize, usize) = (2, 8);

    /// Returns the window with the first tokens.
    pub fn kept(self) -> Window {
        Window {
            keys: self.keys,
            first: self.first,
        }
    }

    /// Returns the window alone.
    pub fn alone(self) -> Window {
        Window {
            keys: self.keys,
            first: 0,
        }
    }

    /// Returns a window as an edit that the visitor gives, in the layers that are asked for.
    pub fn given(self, window: Window) -> GivenWindow {
        GivenWindow::of_writing(window, self.layer)
    }

    /// Returns the edits that give a window to the self-attention of the stack that writes, in the layers that are asked
    /// for.
    pub fn in_layers_of(self, window: Window, trace: &Trace) -> Vec<Edit> {
        let spec = &trace.meta.spec;
        let last = spec.layers(AttentionKind::DecoderSelf).checked_sub(1);
        let layer = self.layer.and_then(|layer| Some(layer.min(last?)));
        GivenWindow::of_writing(window, layer).in_layers_of(spec)
    }
}

impl Default for LongTexts {
    fn default() -> Self {
        LongTexts {
            keys: 4,
            first: 1,
            layer: None,
            factor: 4,
        }
    }
}

impl Parameters for LongTexts {
    const CHAPTER: &'static str = "long";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("window-keys").within(Self::KEYS.0 as f64, Self::KEYS.1 as f64),
        Entry::named("window-first").within(Self::FIRST.0 as f64, Self::FIRST.1 as f64),
        Entry::named("window-layer")
            .counting(Counted::All)
            .until(Span::Model),
        Entry::named("stretch").within(Self::FACTORS.0 as f64, Self::FACTORS.1 as f64),
    ];

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        let layers = lacking.meta.spec.layers(AttentionKind::DecoderSelf);
        lacking.index("window-layer", layers);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn long_texts()(
            keys in LongTexts::KEYS.0..=LongTexts::KEYS.1,
            first in LongTexts::FIRST.0..=LongTexts::FIRST.1,
            layer in prop::option::of(0usize..100),
            factor in LongTexts::FACTORS.0..=LongTexts::FACTORS.1,
        ) -> LongTexts {
            LongTexts { keys, first, layer, factor }
        }
    }
}
