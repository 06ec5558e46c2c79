//! What chapter "heads" shows, as plain data.

use crate::state::fragment::{Reader, Writer};

/// What chapter "heads" shows beside the chosen head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// The other head of the same layer, from 0; too large a number means the last.
    pub other: usize,
}

impl Heads {
    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.number("heads-other", self.other, Heads::default().other);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        Heads {
            other: fragment.number("heads-other").unwrap_or_default(),
        }
    }
}
