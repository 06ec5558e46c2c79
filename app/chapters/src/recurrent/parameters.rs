//! Parameters of chapter "recurrent".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, flat};
use serde::{Deserialize, Serialize};

/// A kind of local attention, by where the centre of its window comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Local {
    /// Luong's local-p: the decoder predicts the centre, and weights are multiplied by a bell curve around it.
    #[default]
    Predictive,
    /// Luong's local-m: the centre moves by a position with each token that is written.
    Monotonic,
}

impl AddressValue for Local {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct RecurrentView {
    /// The bin of source lengths, from 0; too large a number means the last.
    #[serde(rename = "length-bin")]
    pub bin: usize,
    /// The bin that it is compared with, likewise.
    #[serde(rename = "length-other")]
    pub other_bin: usize,
    /// The kind of local attention.
    #[serde(rename = "local-kind")]
    pub local: Local,
    /// The reach `D` of the window of local attention.
    #[serde(rename = "local-window")]
    pub window: usize,
    /// The centre of the window, in tenths of a position, from 0; beyond the sentence it is at its end.
    #[serde(rename = "local-centre")]
    pub center: usize,
}

impl Default for RecurrentView {
    fn default() -> Self {
        RecurrentView {
            bin: 0,
            other_bin: 3,
            local: Local::Predictive,
            window: 2,
            center: 20,
        }
    }
}

impl RecurrentView {
    /// The smallest and the largest `D`.
    pub const WINDOWS: (usize, usize) = (1, 10);
}

impl Parameters for RecurrentView {
    const CHAPTER: &'static str = "recurrent";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("length-bin").counting(Counted::All),
        Entry::named("length-other").counting(Counted::All),
        Entry::named("local-window").within(Self::WINDOWS.0 as f64, Self::WINDOWS.1 as f64),
    ];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn recurrent()(
            (bin, other_bin) in any::<(usize, usize)>(),
            local in choice::<Local>(),
            window in RecurrentView::WINDOWS.0..=RecurrentView::WINDOWS.1,
            center in any::<usize>(),
        ) -> RecurrentView {
            RecurrentView { bin, other_bin, local, window, center }
        }
    }

    #[test]
    fn a_window_out_of_bounds_is_the_usual_one() {
        for address in ["local-window=0", "local-window=11", "local-window=x"] {
            let read = RecurrentView::read(&Reader::new(address));
            assert_eq!(read, RecurrentView::default(), "{address}");
        }
    }
}
