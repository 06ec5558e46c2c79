//! Strategies and views for the tests of chapters.

use attention_core::state::{AddressValue, View};
use proptest::prelude::*;

/// Any value of a choice.
pub fn choice<T: AddressValue + std::fmt::Debug>() -> impl Strategy<Value = T> {
    (0..T::VALUES.len()).prop_map(|index| T::VALUES[index].0)
}

/// The view of an address, with all chapters installed.
pub fn view(address: &str) -> View {
    crate::install();
    View::from_fragment(address)
}
