//! Strategies and views for the tests of chapters.

use attention_core::state::{AddressValue, View};
use proptest::prelude::*;

/// Generates any value of a choice.
pub fn choice<T: AddressValue + std::fmt::Debug>() -> impl Strategy<Value = T> {
    let values = T::values();
    (0..values.len()).prop_map(move |index| values[index].0)
}

/// Returns the view of an address, with all chapters installed.
pub fn view(address: &str) -> View {
    crate::install();
    View::from_fragment(address)
}
