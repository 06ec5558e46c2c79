//! Parameters of chapter "heads".

use attention_core::state::{Counted, Entry, Lacking, Parameters, Reader, Writer};

/// What chapter "heads" shows beside the chosen head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// The other head of the same layer, from 0; too large a number means the last.
    pub other: usize,
}

impl Parameters for Heads {
    const CHAPTER: &'static str = "heads";
    const ENTRIES: &'static [Entry] = &[Entry::named("heads-other").counting(Counted::All)];

    fn write(&self, fragment: &mut Writer) {
        fragment.number("heads-other", self.other, Heads::default().other);
    }

    fn read(fragment: &Reader) -> Self {
        Heads {
            other: fragment.number("heads-other").unwrap_or_default(),
        }
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        if let Some(kind) = lacking.self_attention() {
            lacking.index("heads-other", lacking.meta.spec.heads(kind));
        }
    }
}
